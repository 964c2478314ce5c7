import type { TaskWork } from '../../domain/shown/task-story.ts';
import { formatCount } from '../../util/format-figures.ts';
import { cutText, wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

const mostFiles = 20;

/** Commits and the files they change, as `git diff --stat` counts them. */
export function renderWork({ commits, files }: TaskWork, style: Style): readonly string[] {
  const sum = (key: 'insertions' | 'deletions'): number =>
    files.reduce((total, file) => total + file[key], 0);
  const total = [
    `${formatCount(files.length, 'file')} changed`,
    `${formatCount(sum('insertions'), 'insertion')}(+)`,
    `${formatCount(sum('deletions'), 'deletion')}(-)`,
  ];
  const rows = files
    .slice(0, mostFiles)
    .map(({ path, moved_from: from, insertions, deletions }) => [
      visibleLine(from === undefined ? path : `${from} -> ${path}`),
      style.green(`+${insertions}`),
      style.red(`-${deletions}`),
    ]);
  const hidden = files.length - mostFiles;
  return [
    ...commits.map(({ oid, message }) => {
      const subject = visibleLine(message.split('\n')[0] ?? '');
      return `  ${style.yellow(shortId(oid))} ${cutText(subject, style.width - 13)}`;
    }),
    ...renderTable(rows, { width: style.width, indent: '  ', flex: 0 }),
    ...(hidden > 0 ? [style.dim(`  … ${hidden} more`)] : []),
    ...wrapText(total.join(', '), style.width, '  '),
  ];
}
