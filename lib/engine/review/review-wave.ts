import { doesTaskNeedValidation, listChangesetsOfCycle, listMergeableTasks } from '../../core/schedule/next-action.ts';
import { listTasksToRebase, readStackState } from '../../core/task/stack-state.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { noChangesetError } from '../../domain/input-errors.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isChangesetOpen } from '../../domain/state/changeset-facts.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type ConflictWatch, withConflictWatch } from '../conflict-detection/watch-conflicts.ts';
import { mergeAllChangesets } from '../merge/merge-wave.ts';
import { voidOutdatedChangesets } from '../merge/void-outdated.ts';
import { recordWaveStart, viewSession } from '../record-changes.ts';
import { reportClosedTryWorktrees } from '../retention/tried-changesets.ts';
import type { RunContext } from '../run-context.ts';
import { readBaseTip } from '../start-point.ts';
import { askAboutChangeset } from './ask-about-changeset.ts';
import { landApprovedChangesets } from './land-approved.ts';

interface ReviewOutcome {
  readonly landed: number;
  /** Changesets whose landing was refused: the base moved, or they don't fit any more. */
  readonly refused: number;
}

/**
 * Wave 4, second half: each changeset is shown in dependency order and decided by a person; what was approved
 * lands in that order. Each decision is recorded before the next is asked. Without `only`, what a rejection leaves of a
 * changeset is built again and asked about too.
 */
export async function runReviewWave(
  context: RunContext,
  id: SessionId,
  only: string | null = null,
): Promise<ReviewOutcome> {
  const outcome = await withConflictWatch(context, (radar) => decideAll(context, id, { only, radar }));
  await reportClosedTryWorktrees(context, id);
  return outcome;
}

interface Review {
  readonly only: string | null;
  readonly radar: ConflictWatch;
}

async function decideAll(context: RunContext, id: SessionId, { only, radar }: Review): Promise<ReviewOutcome> {
  const view = await recordWaveStart(context, id, 'review');
  const voided = await voidOutdatedChangesets(context, view);
  if (voided > 0) return { landed: 0, refused: voided };
  const current = listChangesetsOfCycle(view.session);
  const isSelected = ({ id, group }: Changeset): boolean => only === null || group === only || id === only;
  // One that was approved before a stop is still to land.
  const isOpen = current.some((one) => isChangesetOpen(one) && isSelected(one));
  if (only !== null && !isOpen) throw nothingToDecideError(only, current);
  const named = new Set(current.filter(isSelected).map((one) => one.id));
  const seen: string[] = [];
  for (;;) {
    const { session } = await viewSession(context, id);
    const waiting = listChangesetsOfCycle(session).filter(
      (one) => one.state === 'waiting' && (only === null || named.has(one.id)),
    );
    const [next] = waiting;
    if (next === undefined) break;
    for (const one of waiting) if (!seen.includes(one.id)) seen.push(one.id);
    const place = { position: seen.indexOf(next.id) + 1, total: seen.length };
    await askAboutChangeset(context, id, next.id, { ...place, radar });
    await rebuildRest(context, id, radar);
  }
  return landApprovedChangesets(context, id);
}

/**
 * Builds what a rejection left of a changeset, while the person is there. Where some of it has to be checked again
 * first, or the base moved, that comes with the next wave.
 */
async function rebuildRest(context: RunContext, id: SessionId, radar: ConflictWatch): Promise<void> {
  const view = await viewSession(context, id);
  const { session, tasks } = view;
  const current = listChangesetsOfCycle(session);
  if (!current.some(({ rejected_tasks: part }) => part !== undefined)) return;
  const isSettled = !tasks.some((task) => doesTaskNeedValidation(task, readStackState(tasks)));
  if (!isSettled || listTasksToRebase(tasks, current).length > 0 || listMergeableTasks(tasks, current).length === 0)
    return;
  if ((await readBaseTip(context, session)) !== session.base_commit) return;
  await mergeAllChangesets(context, id, radar);
  await recordWaveStart(context, id, 'review');
}

/** There is none of this name to decide; null: none at all. */
export function nothingToDecideError(name: string | null, current: readonly Changeset[]): FlameError {
  const named = current.findLast(({ id, group }) => name !== null && (id === name || group === name));
  if (named?.state === 'skipped')
    return noChangesetError(`Changeset ${named.group} was skipped. The next cycle shows it again.`, [
      'git flame run',
      `git flame show ${shellQuote(named.group)} --diff`,
    ]);
  const waiting = current.filter(({ state }) => state === 'waiting');
  const hints = waiting.map(({ group }) => `git flame review --changeset ${shellQuote(group)}`);
  return noChangesetError(
    `No changeset${name === null ? '' : ` ${name}`} waits for a decision.`,
    hints.length === 0 ? ['git flame status'] : hints,
  );
}
