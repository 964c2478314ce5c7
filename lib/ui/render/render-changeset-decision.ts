import type { Changeset } from '../../domain/state/changeset.ts';
import { renderLineRange } from '../../domain/state/line-range.ts';
import type { FileStat } from '../../domain/state/patch.ts';
import type { ReviewNote } from '../../domain/state/verdict.ts';
import type { TaskWork } from '../../domain/view-models/task-story.ts';
import { formatCount, formatSpend, formatTime } from '../../util/format-figures.ts';
import { cutText, wrapText } from '../../util/format-width.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { renderTable } from '../../util/table.ts';
import { nameDecider, toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { renderNextCommand } from './render-error.ts';

interface DecidedChangeset {
  readonly changeset: Changeset;
  /** Whether its state was decided here; another clone's word is shown, and said to be that. */
  readonly counts: boolean;
  readonly files: readonly FileStat[];
  /** The note on the commit it landed as. */
  readonly review: ReviewNote | null;
}

/** Which files a changeset changes, what became of it, and what to type next. */
export function renderChangesetDecision({ changeset, counts, files, review }: DecidedChangeset, style: Style): string {
  const { state, reason, landed_commit, undone } = changeset;
  const by = nameDecider(changeset);
  const facts = [
    state,
    ...(landed_commit === null ? [] : [`as ${shortId(landed_commit)}`]),
    ...(undone === undefined ? [] : [`after it had landed as ${shortId(undone.commit)}, ${formatTime(undone.at)},`]),
    ...(by === null ? [] : [`by ${toPrintableLine(by)}`]),
    ...(counts ? [] : [decidedElsewhereMark]),
    ...(review === null ? [] : [`${formatTime(review.at)}, ${formatSpend(review)}`]),
  ];
  const why = [...new Set([reason, review?.override ?? null])].flatMap((text) =>
    text === null || text === '' ? [] : [text],
  );
  return [
    ...(files.length === 0 ? [] : ['', style.bold('Files'), ...renderTaskWork({ commits: [], files }, style)]),
    '',
    style.bold('Decision'),
    ...wrapText(facts.join(' '), style.width, '  '),
    ...why.flatMap((text) => wrapText(toPrintableText(text), style.width, '    ')),
    ...(changeset.remarks ?? []).flatMap(({ path, text, ...at }) =>
      wrapText(toPrintableText(`${path}:${renderLineRange(at)}: ${text}`), style.width, '    '),
    ),
    '',
    ...nextSteps(changeset).map((command) => renderNextCommand(toPrintableLine(command), style)),
  ].join('\n');
}

/** Behind what another clone decided. */
export const decidedElsewhereMark = '(from another clone, not trusted here)';

function nextSteps({ state, group, id, landed_commit }: Changeset): readonly string[] {
  if (state === 'waiting') return [`git flame review --changeset ${shellQuote(group)}`, `git flame show ${id} --diff`];
  if (landed_commit !== null) return [`git show --first-parent ${shortId(landed_commit)}`];
  return [`git flame show ${id} --diff`, 'git flame status'];
}

const mostFiles = 20;

/** Commits and the files they change, as `git diff --stat` counts them. */
export function renderTaskWork({ commits, files }: TaskWork, style: Style): readonly string[] {
  const sum = (key: 'insertions' | 'deletions'): number => files.reduce((total, file) => total + file[key], 0);
  const total = [
    `${formatCount(files.length, 'file')} changed`,
    `${formatCount(sum('insertions'), 'insertion')}(+)`,
    `${formatCount(sum('deletions'), 'deletion')}(-)`,
  ];
  const rows = files
    .slice(0, mostFiles)
    .map(({ path, moved_from: from, insertions, deletions }) => [
      toPrintableLine(from === undefined ? path : `${from} -> ${path}`),
      style.green(`+${insertions}`),
      style.red(`-${deletions}`),
    ]);
  const hidden = files.length - mostFiles;
  return [
    ...commits.map(({ oid, message }) => {
      const subject = toPrintableLine(message.split('\n')[0] ?? '');
      return `  ${style.yellow(shortId(oid))} ${cutText(subject, style.width - 13)}`;
    }),
    ...renderTable(rows, { width: style.width, indent: '  ', flex: 0 }),
    ...(hidden > 0 ? [style.dim(`  … ${hidden} more`)] : []),
    ...wrapText(total.join(', '), style.width, '  '),
  ];
}
