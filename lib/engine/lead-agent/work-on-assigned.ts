import { canAnyTaskStart } from '../../core/schedule/select-ready.ts';
import { maxValidatorsWithoutVerdict } from '../../core/task/attempt-records.ts';
import { makeRequeuedTaskPending } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import { noTaskError } from '../../domain/input-errors.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { forEachConcurrently } from '../../util/pacing.ts';
import { decideAndRecord, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { leaveOutConflictBlockedTasks } from '../stacking/block-on-conflict.ts';
import { rebaseStacked } from '../stacking/rebase-stacked.ts';
import { runPreValidationScript, validateOnce } from '../validate/obtain-verdict.ts';
import { applyStoredVerdicts, listTasksWithoutVerdict } from '../validate/validate-wave.ts';
import { runWorkWave } from '../work/work-wave.ts';
import { isUnjudgedByValidators } from './judge-tasks.ts';
import { planNotApprovedError } from './lead-tool-errors.ts';
import { listTasksInProposedChange, requireLeadCanChangeSession } from './propose-tasks.ts';

/** Number of times this work tried to have each commit judged, beyond the booked ones. */
type JudgingCounts = Map<string, number>;

/**
 * Lets tasks be worked on, by their ids or all that are pending; they start by themselves once what they need is done
 * and a place is free. Resolves to the ids that are assigned now. Throws FlameErrors `plan-not-approved`, `no-task`,
 * `completed`.
 */
export async function assignTasks(
  context: RunContext,
  id: SessionId,
  ids: readonly string[] | null,
): Promise<readonly string[]> {
  const { session, tasks } = await viewSession(context, id);
  requireLeadCanChangeSession(session);
  if (session.cycle === 0 || tasks.length === 0) throw planNotApprovedError();
  const unknown = ids?.find((one) => !tasks.some((task) => task.id === one));
  if (unknown !== undefined) {
    if (session.proposal?.some((task) => task.id === unknown) === true) throw planNotApprovedError();
    throw noTaskError(unknown, tasks);
  }
  // A claim may be what a killed process left: the work takes it up, or leaves it to its holder.
  const isWanted = ({ id: one, status }: Task): boolean =>
    (status === 'pending' || status === 'claimed' || status === 'requeued') && (ids === null || ids.includes(one));
  const found = tasks.filter(isWanted);
  const otherwise = listTasksInProposedChange({ session, tasks });
  const wanted = found.filter((task) => !otherwise.has(task.id));
  const held = found.filter((task) => otherwise.has(task.id));
  if (held.length > 0 && (ids !== null || wanted.length === 0)) throw planNotApprovedError(held);
  const wantedIds = wanted.map((task) => task.id);
  if (wanted.some(({ status }) => status === 'requeued'))
    await decideAndRecord(context, id, ({ tasks: now }) => {
      // A task that went back because of a conflict restarts like any that was sent back.
      const again = now.filter((task) => task.status === 'requeued' && wantedIds.includes(task.id));
      return again.length === 0 ? null : { steps: again.map(makeRequeuedTaskPending) };
    });
  context.run.assigned ??= new Set();
  for (const one of wantedIds) context.run.assigned.add(one);
  return wantedIds;
}

/**
 * Works on what is assigned and judges what is done, until nothing more can be started; what is assigned meanwhile is
 * taken up. What did not pass stays undecided. The caller holds the session's lock.
 */
export async function workOnAssignedTasks(context: RunContext, id: SessionId): Promise<void> {
  const tries: JudgingCounts = new Map();
  for (;;) {
    let isWorking = true;
    let onLook = (): void => undefined;
    const wave = runWorkWave(context, id, { onLook: () => onLook() }).finally(() => {
      isWorking = false;
    });
    // Seen below; until then it must not count as unhandled.
    wave.catch(() => undefined);
    while (isWorking && !context.signal.aborted) {
      const look = new Promise<void>((resolve) => {
        onLook = resolve;
      });
      await judgeFinished(context, id, tries).catch(async (error: unknown) => {
        await wave.catch(() => undefined);
        throw error;
      });
      await Promise.race([wave.catch(() => undefined), look]);
    }
    await wave;
    // Once more where a validator gave no verdict.
    while ((await judgeFinished(context, id, tries)) && !context.gracefulStop.isRequested());
    if (context.signal.aborted || context.gracefulStop.isRequested()) return;
    const { session, tasks } = await viewSession(context, id);
    const startable = leaveOutConflictBlockedTasks(context, tasks);
    if (session.state !== 'active' || !canAnyTaskStart(startable, context.config.concurrency.development)) return;
  }
}

/** Obtains a verdict for each done task that has none; one that no validator could judge is left to a person. Resolves to whether there were any. */
async function judgeFinished(context: RunContext, id: SessionId, tries: JudgingCounts): Promise<boolean> {
  await rebaseStacked(context, id);
  await applyStoredVerdicts(context, id);
  const view = await viewSession(context, id);
  const triesOf = (commit: string): number => tries.get(commit) ?? 0;
  const waiting = listTasksWithoutVerdict(view).filter(
    (task) =>
      task.result.status === null &&
      !isUnjudgedByValidators(view, task) &&
      triesOf(task.commit) < maxValidatorsWithoutVerdict,
  );
  await runPreValidationScript(context, id, waiting);
  await forEachConcurrently(waiting, context.config.concurrency.validation, async (task) => {
    if (context.signal.aborted) return;
    tries.set(task.commit, triesOf(task.commit) + 1);
    await validateOnce(context, id, task);
  });
  return waiting.length > 0 && !context.signal.aborted;
}
