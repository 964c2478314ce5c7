import { claimValidation, findValidatingMachine, releaseValidation } from '../../core/machines/machine-statement.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import type { DoneTask, Task } from '../../domain/state/task-schema.ts';
import { decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';

/**
 * Claims the judging of a task's commit for this machine, at the remote; null: another machine has it, or there is
 * nothing to judge any more. Without other machines there is no claim.
 */
export async function recordValidationClaim(
  context: RunContext,
  session: SessionId,
  { id, commit }: Pick<DoneTask, 'id' | 'commit'>,
): Promise<number | null> {
  const { remoteSession, place } = context;
  if (remoteSession === undefined) return 1;
  let claim: number | null = null;
  const done = await decideAndRecord(context, session, (view) => {
    claim = null;
    const task = findTaskAsLeadReports(context, view, id);
    if (task?.status !== 'done' || task.commit !== commit || task.result.status !== null) return null;
    const holder = findValidatingMachine(task);
    if (holder !== null && holder !== place) return null;
    const step = claimValidation(task, place);
    claim = step.task.judging?.claim ?? null;
    return { steps: [step] };
  });
  return done.kind === 'done' ? claim : null;
}

/**
 * A task of a view. With who joined, its result is as it is said: what the lead found is not theirs to take away.
 */
export function findTaskAsLeadReports(
  { remoteSession }: RunContext,
  { snapshot, tasks, session }: SessionView,
  id: TaskId,
): Task | undefined {
  const task = tasks.find((one) => one.id === id);
  if (task?.status !== 'done' || remoteSession?.role !== 'worker') return task;
  const said = snapshot.tasksOf(session.id).find((one) => one.id === id);
  return said === undefined ? undefined : { ...task, result: said.result };
}

/** Whether another machine has claimed to judge exactly this. */
export function isValidatedElsewhere(
  { remoteSession, place }: Pick<RunContext, 'remoteSession' | 'place'>,
  task: Task,
): boolean {
  const judge = findValidatingMachine(task);
  return remoteSession !== undefined && judge !== null && judge !== place;
}

/** Gives it back: what was found is recorded, or nothing was found. */
export async function recordValidationRelease(context: RunContext, session: SessionId, id: TaskId): Promise<void> {
  const { remoteSession, place } = context;
  if (remoteSession === undefined) return;
  await decideAndRecord(context, session, (view) => {
    const task = findTaskAsLeadReports(context, view, id);
    if (task?.status !== 'done' || task.judging?.machine !== place) return null;
    return { steps: [releaseValidation(task, 'released')] };
  });
}

/** Releases commits that machines without a heartbeat were judging, and those of an earlier run of this one. */
export async function releaseDeadValidationClaims(context: RunContext, id: SessionId, isOwnToo = false): Promise<void> {
  const { remoteSession, place } = context;
  if (remoteSession === undefined) return;
  const isFree = (task: Task): task is DoneTask => {
    const judge = task.judging?.machine ?? null;
    if (task.status !== 'done' || judge === null) return false;
    return judge === place ? isOwnToo : remoteSession.isGone(judge);
  };
  if (!(await viewSession(context, id)).tasks.some(isFree)) return;
  let freed: readonly DoneTask[] = [];
  await decideAndRecord(context, id, (view) => {
    freed = view.tasks.flatMap((task) => findTaskAsLeadReports(context, view, task.id) ?? []).filter(isFree);
    const why = (task: DoneTask): string =>
      task.judging?.machine === place ? 'its run has ended' : 'it sent no heartbeat';
    return freed.length === 0 ? null : { steps: freed.map((task) => releaseValidation(task, why(task))) };
  });
  for (const { id: task, judging } of freed) {
    const message = `${task} must be judged again: ${judging?.machine} gave no verdict.`;
    context.events.emit({ event: 'notice', level: 'warning', message });
  }
}
