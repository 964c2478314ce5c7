import type { Rescue } from '../../domain/ports/git-cells.ts';
import type { DiffStat } from '../../domain/state/changeset.ts';
import { formatCount, formatTime } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { renderTable } from '../../util/table.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { renderIndentedTable, renderSection } from '../text/sections.ts';
import type { Style } from '../text/style.ts';

export interface CleanupLine {
  /** Its kind, or its outcome. */
  readonly what: string;
  readonly name: string;
  readonly details: string;
}

interface CleanupView {
  readonly isDone: boolean;
  readonly lines: readonly CleanupLine[];
  /** Kept since it holds unmerged work. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
  /** Old rescues: what they hold is nowhere else. */
  readonly rescues: CleanupView['left'];
}

/** Renders what a cleanup would do or did, and what it leaves alone. */
export function renderCleanup({ isDone, lines, left, rescues }: CleanupView, style: Style): string {
  const title = isDone ? 'Cleaned up:' : 'Would be removed:';
  const rows = lines.map(({ what, name, details }) => [what, toPrintableLine(name), toPrintableLine(details)]);
  return [
    ...(rows.length === 0 ? ['Nothing to remove.'] : [style.bold(title), ...renderIndentedTable(rows, style)]),
    ...staying('Not merged, kept without --force:', left, style),
    ...staying('Rescues older than retention.rescues, kept without --rescues:', rescues, style),
  ].join('\n');
}

function staying(title: string, kept: CleanupView['left'], style: Style): readonly string[] {
  const rows = kept.map(({ name, why }) => [toPrintableLine(name), toPrintableLine(why)]);
  return renderSection(title, renderIndentedTable(rows, style), style);
}

/** Everything that was kept, one line each. */
export function renderRescues(rescues: readonly Rescue[], style: Style): string {
  if (rescues.length === 0) return 'No rescues: no worktree with work in it was removed.';
  const rows = rescues.map(({ name, agent, at, why }) => [
    name,
    toPrintableLine(agent ?? ''),
    at === null ? '' : formatTime(at),
    toPrintableLine(why),
  ]);
  return renderTable(rows, { width: style.width }).join('\n');
}

/** One rescue: who left it, when and why, and how much it changes. */
export function renderRescue(
  { rescue, diffstat }: { readonly rescue: Rescue; readonly diffstat: DiffStat | null },
  style: Style,
): string {
  const { name, agent, at, why, commit } = rescue;
  const facts = [
    `commit ${shortId(commit)}`,
    ...(agent === null ? [] : [`left by ${toPrintableLine(agent)}`]),
    ...(at === null ? [] : [`rescued ${formatTime(at)}`]),
    ...(diffstat === null
      ? []
      : [`${formatCount(diffstat.files, 'file')} changed, +${diffstat.insertions} -${diffstat.deletions}`]),
  ];
  return [
    style.bold(name),
    ...wrapText(facts.join(' · '), style.width, '  '),
    ...wrapText(toPrintableLine(why), style.width, '  '),
  ].join('\n');
}
