import { claimValidation, findTaskHolder, releaseValidation } from '../../core/machines/task-holder.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import type { DoneTask } from '../../domain/state/task-schema.ts';
import { decideAndRecord } from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { isHeldElsewhere } from './held-elsewhere.ts';

/**
 * Claims the judging of a task's commit for this machine, at the remote; null: another machine has it, or there is
 * nothing to judge any more. Without other machines there is no claim.
 */
export async function recordValidationClaim(
  context: RunContext,
  session: SessionId,
  { id, commit }: Pick<DoneTask, 'id' | 'commit'>,
): Promise<number | null> {
  if (context.remoteSession === undefined) return 1;
  let claim: number | null = null;
  const done = await decideAndRecord(context, session, ({ tasks }) => {
    claim = null;
    const task = tasks.find((one) => one.id === id);
    if (task?.status !== 'done' || task.commit !== commit || task.result.status !== null) return null;
    if (isHeldElsewhere(context, task)) return null;
    const step = claimValidation(task, context.place);
    claim = step.task.judging?.claim ?? null;
    return { steps: [step] };
  });
  return done.kind === 'done' ? claim : null;
}

/** Gives it back: what was found is recorded, or nothing was found. */
export async function recordValidationRelease(context: RunContext, session: SessionId, id: TaskId): Promise<void> {
  if (context.remoteSession === undefined) return;
  await decideAndRecord(context, session, ({ tasks }) => {
    const task = tasks.find((one) => one.id === id);
    if (task?.status !== 'done' || findTaskHolder(task) !== context.place) return null;
    return { steps: [releaseValidation(task, 'released')] };
  });
}
