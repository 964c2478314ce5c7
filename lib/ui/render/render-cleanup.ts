import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

export interface CleanupLine {
  /** What it is, or what became of it. */
  readonly what: string;
  readonly name: string;
  readonly details: string;
}

export interface CleanupView {
  readonly isDone: boolean;
  readonly lines: readonly CleanupLine[];
  /** What holds work that was not merged. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
}

/** What a cleanup would do or did, and what it leaves alone. */
export function renderCleanup({ isDone, lines, left }: CleanupView, style: Style): string {
  const title = isDone ? 'Cleaned up:' : 'Would be removed:';
  const rows = lines.map(({ what, name, details }) => [what, visibleLine(name), visibleLine(details)]);
  const kept = left.map(({ name, why }) => [visibleLine(name), visibleLine(why)]);
  return [
    ...(rows.length === 0 ? ['Nothing to remove.'] : [style.bold(title), ...table(rows, style)]),
    ...(kept.length === 0
      ? []
      : ['', style.bold('Not merged, stays without --force:'), ...table(kept, style)]),
  ].join('\n');
}

function table(rows: readonly (readonly string[])[], style: Style): readonly string[] {
  return renderTable(rows, { width: style.width, indent: '  ' });
}
