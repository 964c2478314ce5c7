import { validationOrder } from '../../core/changesets/cohesion-groups.ts';
import { readGround } from '../../core/task/stack-state.ts';
import { judgeTask } from '../../core/task/task-outcome.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { DoneTask, Task } from '../../domain/state/task.ts';
import { inLanes } from '../../util/pacing.ts';
import { requireChosen } from '../agents/usable-here.ts';
import { type AheadWatch, lookingAhead } from '../conflict-detection/watch-conflicts.ts';
import { interruptedError } from '../interrupted.ts';
import { tendMachines } from '../machines/supervise-machines.ts';
import { claimVerdict, giveBackVerdict, isJudgedElsewhere } from '../machines/verdict-claims.ts';
import { enterWave, type Recorder, record, type SessionView, viewSession } from '../record.ts';
import type { Workshop } from '../run-context.ts';
import { replayUprooted } from '../stacking/rebase-stacked.ts';
import { decideFailed } from './decide-failed.ts';
import { obtainVerdict, prepareValidation } from './obtain-verdict.ts';
import { judgesInCells } from './validate-task.ts';

const lookAgainMs = 1_000;

/**
 * Wave 3: a verdict for the exact commit of each done task, several at once; then a person decides about what
 * failed. Verdicts are recorded before anybody is asked, so a gate that waits costs nothing twice.
 */
export function validateWave(workshop: Workshop, session: SessionId): Promise<void> {
  return lookingAhead(workshop, (radar) => validateAll(workshop, session, radar));
}

async function validateAll(workshop: Workshop, session: SessionId, radar: AheadWatch): Promise<void> {
  await enterWave(workshop, session, 'validate');
  await replayUprooted(workshop, session);
  const opening = await viewSession(workshop, session);
  radar.look(opening);
  await prepareValidation(workshop, session, unjudged(opening));
  workshop.run.isPrepared = true;
  for (let waiting = unjudged(opening); waiting.length > 0 && !workshop.signal.aborted; ) {
    const own = waiting.filter((task) => !isJudgedElsewhere(workshop, task));
    await requireChosen(workshop, 'validator', own);
    await inLanes(own, lanesFor(workshop, own), (task) => judgeHere(workshop, session, task));
    if (workshop.sharing === undefined) break;
    // Others judge the rest, or what they left.
    await tendMachines(workshop, session);
    if (own.length === 0) await workshop.machine.sleep(lookAgainMs, workshop.signal);
    waiting = unjudged(await viewSession(workshop, session));
  }
  workshop.run.isPrepared = false;
  if (workshop.signal.aborted) throw interruptedError();
  await adoptVerdicts(workshop, session);
  await decideFailed(workshop, session);
  const after = await viewSession(workshop, session);
  const passed = after.tasks.filter(
    ({ status, result }) => status === 'done' && result.status === 'pass',
  ).length;
  workshop.events.emit({
    event: 'wave-ended',
    wave: 'validate',
    cycle: after.session.cycle,
    summary: `${passed} passed`,
  });
}

/** Finished work in the order it is judged in, on whose commit there is no verdict that counts here. */
export function unjudged({ snapshot, tasks }: SessionView): readonly DoneTask[] {
  const ground = readGround(tasks);
  return validationOrder(tasks)
    .filter(isDone)
    .filter((task) => !ground.waits(task))
    .filter((task) => snapshot.verdictsOn(task.commit).length === 0);
}

/** Judges a task here; if machines share the session, one of them at a time judges a commit. */
async function judgeHere(workshop: Workshop, session: SessionId, task: DoneTask): Promise<void> {
  if ((await claimVerdict(workshop, session, task)) === null) return;
  await obtainVerdict(workshop, session, task);
  await giveBackVerdict(workshop, session, task.id);
}

/** Tasks that start no agent need no turns: their verdicts are recorded together. */
function lanesFor(workshop: Pick<Workshop, 'config'>, tasks: readonly Task[]): number {
  const isRun = tasks.some((task) => judgesInCells(workshop, task));
  return isRun ? workshop.config.concurrency.validation : tasks.length;
}

/** A verdict on the exact commit counts, no matter which process recorded it: also one from before a stop. */
export async function adoptVerdicts(workshop: Recorder, session: SessionId): Promise<void> {
  await record(workshop, session, ({ tasks, snapshot }) => {
    const steps = tasks.filter(isDone).flatMap((task) => {
      const verdict = snapshot.verdictsOn(task.commit).at(-1);
      return verdict !== undefined && task.result.status === null ? [judgeTask(task, verdict)] : [];
    });
    return steps.length === 0 ? null : { steps };
  });
}

function isDone(task: Task): task is DoneTask {
  return task.status === 'done';
}
