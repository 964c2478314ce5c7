import { formatDuration } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from './style.ts';

/** Lines below a title, with an empty line before it; none where there are no lines. */
export function renderSection(title: string, lines: readonly string[], style: Style): readonly string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines];
}

/** A table as wide as the terminal, two spaces in. */
export function renderIndentedTable(rows: readonly (readonly string[])[], style: Style): readonly string[] {
  return renderTable(rows, { width: style.width, indent: '  ' });
}

/** A text wrapped behind its first words: `first` and `rest` are equally wide. */
export function hangText(
  text: string,
  width: number,
  { first, rest }: { readonly first: string; readonly rest: string },
): readonly string[] {
  return wrapText(text, width, rest).map((line, index) => (index === 0 ? first + line.slice(rest.length) : line));
}

/** The time between two moments, which clocks of several machines may have in another order. */
export function formatTimeBetween(from: string, to: string | Date): string {
  return formatDuration(Math.max(0, new Date(to).getTime() - Date.parse(from)) || 0);
}
