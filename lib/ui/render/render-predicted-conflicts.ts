import type { PredictedConflict, PredictedConflicts } from '../../domain/view-models/status-view.ts';
import { formatCount } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

const mostShown = 20;
const mostPaths = 3;

/** Renders predicted conflicts, a line each under a heading, and what is not known; no lines where there are none. */
export function renderPredictedConflicts(ahead: PredictedConflicts | undefined, style: Style): readonly string[] {
  const lines = describePredictedConflicts(ahead);
  if (lines.length === 0) return [];
  return [style.bold('Conflicts ahead'), ...lines.flatMap((line) => wrapText(line, style.width, '  '))];
}

/** Describes predicted conflicts as sentences. */
export function describePredictedConflicts(ahead: PredictedConflicts | undefined): readonly string[] {
  if (ahead === undefined) return [];
  const { found, untried_pairs, unseen_tasks } = ahead;
  const rest = found.length - mostShown;
  return [
    ...found.slice(0, mostShown).map(describePredictedConflict),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...(untried_pairs > 0 ? [`${formatCount(untried_pairs, 'more pair')} not checked yet`] : []),
    ...(unseen_tasks > 0 ? [`the work of ${formatCount(unseen_tasks, 'task')} not checked`] : []),
  ];
}

/** One as a sentence without a full stop: `task-003 and task-007 conflict in price.js (task-007 is still working)`. */
export function describePredictedConflict({ one, other, paths, unrelated }: PredictedConflict): string {
  const where = paths.length === 0 ? '' : ` in ${listPaths(paths)}`;
  if (!('task' in other)) {
    const work = one.at_work ? ` (${one.task} is still working)` : '';
    const branch = toPrintableLine(other.branch);
    return unrelated
      ? `${one.task} and ${branch} share no history, so git can't merge them${work}`
      : `${one.task} conflicts with the current ${branch}${where}${work}`;
  }
  const atWork = [one, other].filter((side) => side.at_work).map(({ task }) => task);
  const work = ['', ` (${atWork[0]} is still working)`, ' (both are still working)'][atWork.length] ?? '';
  const both = `${one.task} and ${other.task}`;
  return unrelated ? `${both} share no history, so git can't merge them${work}` : `${both} conflict${where}${work}`;
}

function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, mostPaths).map(toPrintableLine).join(', ');
  const rest = paths.length - mostPaths;
  return rest > 0 ? `${shown} and ${formatCount(rest, 'more file')}` : shown;
}
