import { listTasksToValidate } from '../../core/changesets/cohesion-groups.ts';
import { readStackState } from '../../core/task/stack-state.ts';
import { applyVerdictToTask } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { DoneTask, Task } from '../../domain/state/task-schema.ts';
import { forEachConcurrently } from '../../util/pacing.ts';
import { requireUsableTaskAdapters } from '../agents/require-usable-adapters.ts';
import { type ConflictWatch, withConflictWatch } from '../conflict-detection/watch-conflicts.ts';
import { interruptedError } from '../graceful-stop.ts';
import { isHeldElsewhere } from '../machines/held-elsewhere.ts';
import { superviseMachines } from '../machines/supervise-machines.ts';
import { recordValidationClaim, recordValidationRelease } from '../machines/validation-claims.ts';
import {
  decideAndRecord,
  type RecordContext,
  recordWaveStart,
  type SessionView,
  viewSession,
} from '../record-changes.ts';
import type { RunContext } from '../run-context.ts';
import { rebaseStacked } from '../stacking/rebase-stacked.ts';
import { askAboutFailedVerdicts } from './decide-failed-tasks.ts';
import { runPreValidationScript, validateUntilVerdict } from './obtain-verdict.ts';
import { doesValidationRunAnything } from './validate-task.ts';

const lookAgainMs = 1_000;

/**
 * Wave 3: a verdict for the exact commit of each done task, several at once; then a person decides about what
 * failed. Verdicts are recorded before anybody is asked, so a gate that waits costs nothing twice.
 */
export function runValidateWave(context: RunContext, session: SessionId): Promise<void> {
  return withConflictWatch(context, (radar) => validateAll(context, session, radar));
}

async function validateAll(context: RunContext, session: SessionId, radar: ConflictWatch): Promise<void> {
  await recordWaveStart(context, session, 'validate');
  await rebaseStacked(context, session);
  const opening = await viewSession(context, session);
  radar.look(opening);
  await runPreValidationScript(context, session, listTasksWithoutVerdict(opening));
  context.run.isPrepared = true;
  for (let waiting = listTasksWithoutVerdict(opening); waiting.length > 0 && !context.signal.aborted; ) {
    const own = waiting.filter((task) => !isHeldElsewhere(context, task));
    await requireUsableTaskAdapters(context, 'validator', own);
    await forEachConcurrently(own, lanesFor(context, own), (task) => judgeHere(context, session, task));
    if (context.remoteSession === undefined) break;
    // Others judge the rest, or what they left.
    await superviseMachines(context, session);
    if (own.length === 0) await context.machine.sleep(lookAgainMs, context.signal);
    waiting = listTasksWithoutVerdict(await viewSession(context, session));
  }
  context.run.isPrepared = false;
  if (context.signal.aborted) throw interruptedError();
  await applyStoredVerdicts(context, session);
  await askAboutFailedVerdicts(context, session);
  const after = await viewSession(context, session);
  const passed = after.tasks.filter(({ status, result }) => status === 'done' && result.status === 'pass').length;
  context.events.emit({
    event: 'wave-ended',
    wave: 'validate',
    cycle: after.session.cycle,
    summary: `${passed} passed`,
  });
}

/** Finished work in the order it is judged in, on whose commit there is no verdict that counts here. */
export function listTasksWithoutVerdict({ snapshot, tasks }: SessionView): readonly DoneTask[] {
  const stackState = readStackState(tasks);
  return listTasksToValidate(tasks)
    .filter((task) => task.status === 'done')
    .filter((task) => !stackState.waits(task))
    .filter((task) => snapshot.verdictsOn(task.commit).length === 0);
}

/** Judges a task here; if machines share the session, one of them at a time judges a commit. */
async function judgeHere(context: RunContext, session: SessionId, task: DoneTask): Promise<void> {
  if ((await recordValidationClaim(context, session, task)) === null) return;
  await validateUntilVerdict(context, session, task);
  await recordValidationRelease(context, session, task.id);
}

/** Tasks that start no agent need no turns: their verdicts are recorded together. */
function lanesFor(context: Pick<RunContext, 'config'>, tasks: readonly Task[]): number {
  const isRun = tasks.some((task) => doesValidationRunAnything(context, task));
  return isRun ? context.config.concurrency.validation : tasks.length;
}

/** A verdict on the exact commit counts, no matter which process recorded it: also one from before a stop. */
export async function applyStoredVerdicts(context: RecordContext, session: SessionId): Promise<void> {
  await decideAndRecord(context, session, ({ tasks, snapshot }) => {
    const steps = tasks
      .filter((task) => task.status === 'done')
      .flatMap((task) => {
        const verdict = snapshot.verdictsOn(task.commit).at(-1);
        return verdict !== undefined && task.result.status === null ? [applyVerdictToTask(task, verdict)] : [];
      });
    return steps.length === 0 ? null : { steps };
  });
}
