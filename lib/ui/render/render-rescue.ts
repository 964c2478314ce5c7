import type { Rescue } from '../../domain/ports/git-cells.ts';
import type { DiffStat } from '../../domain/state/changeset.ts';
import { formatCount, formatTime } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

/** Everything that was kept, one line each. */
export function renderRescues(rescues: readonly Rescue[], style: Style): string {
  if (rescues.length === 0) return 'Nothing was rescued: no worktree with work in it was removed.';
  const rows = rescues.map(({ name, agent, at, why }) => [
    name,
    visibleLine(agent ?? ''),
    at === null ? '' : formatTime(at),
    visibleLine(why),
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
    ...(agent === null ? [] : [`left by ${visibleLine(agent)}`]),
    ...(at === null ? [] : [`put away ${formatTime(at)}`]),
    ...(diffstat === null
      ? []
      : [`${formatCount(diffstat.files, 'file')} changed, +${diffstat.insertions} -${diffstat.deletions}`]),
  ];
  return [
    style.bold(name),
    ...wrapText(facts.join(' · '), style.width, '  '),
    ...wrapText(visibleLine(why), style.width, '  '),
  ].join('\n');
}
