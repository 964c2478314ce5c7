import { canStart } from '../../core/schedule/can-start.ts';
import { readGround } from '../../core/task/needs-of.ts';
import { restartTask } from '../../core/task/task-return.ts';
import { triesBeforeAsking } from '../../core/task/unjudged-tries.ts';
import type { SessionId } from '../../domain/ids.ts';
import { noTask } from '../../domain/not-found.ts';
import type { DoneTask, Task } from '../../domain/state/task.ts';
import { inLanes } from '../../util/in-lanes.ts';
import { record, type SessionView, viewSession } from '../record.ts';
import { withoutHeldApart } from '../stack/held-apart.ts';
import { replayUprooted } from '../stack/replay-uprooted.ts';
import { prepareValidation } from '../validate/prepare-validation.ts';
import { recordVerdict } from '../validate/record-verdict.ts';
import { validateTask } from '../validate/validate-task.ts';
import { workWave } from '../work/work-wave.ts';
import type { Workshop } from '../workshop.ts';
import { isLeftUnjudged } from './left-unjudged.ts';
import { askedOtherwise, requireLeading } from './propose-tasks.ts';
import { changeNotApproved, planNotApproved } from './refusals.ts';

const lookMs = 300;

/** How often each commit was to be judged, beyond what is booked. */
type Tries = Map<string, number>;

/**
 * Lets tasks be worked on, by their ids or all that are pending; they start by themselves once what they need is done
 * and a place is free. Resolves to the ids that are assigned now. Throws FlameErrors `plan-not-approved`, `no-task`,
 * `completed`.
 */
export async function assignTasks(
  workshop: Workshop,
  id: SessionId,
  ids: readonly string[] | null,
): Promise<readonly string[]> {
  const { session, tasks } = await viewSession(workshop, id);
  requireLeading(session);
  if (session.cycle === 0 || tasks.length === 0) throw planNotApproved();
  const unknown = ids?.find((one) => !tasks.some((task) => task.id === one));
  if (unknown !== undefined) {
    if (session.proposal?.some((task) => task.id === unknown) === true) throw planNotApproved();
    throw noTask(unknown).withHints(['get_status names the tasks there are'], 'model');
  }
  // A claim may be what a killed process left: the work takes it up, or leaves it to whose it is.
  const isWanted = ({ id: one, status }: Task): boolean =>
    (status === 'pending' || status === 'claimed' || status === 'requeued') &&
    (ids === null || ids.includes(one));
  const found = tasks.filter(isWanted);
  const otherwise = askedOtherwise({ session, tasks });
  const wanted = found.filter((task) => !otherwise.has(task.id));
  const held = found.filter((task) => otherwise.has(task.id));
  if (held.length > 0 && (ids !== null || wanted.length === 0)) throw changeNotApproved(held);
  if (wanted.some(({ status }) => status === 'requeued')) await restartConflicted(workshop, id, wanted);
  workshop.run.assigned ??= new Set();
  for (const task of wanted) workshop.run.assigned.add(task.id);
  return wanted.map((task) => task.id);
}

/** What conflicted and went back by itself begins as what was sent back does. */
async function restartConflicted(
  workshop: Workshop,
  id: SessionId,
  wanted: readonly Pick<Task, 'id'>[],
): Promise<void> {
  await record(workshop, id, ({ tasks }) => {
    const steps = tasks.flatMap((task) =>
      task.status === 'requeued' && wanted.some((one) => one.id === task.id) ? [restartTask(task)] : [],
    );
    return steps.length === 0 ? null : { steps };
  });
}

/**
 * Works on what is assigned and judges what is done, until nothing more can be started; what is assigned meanwhile is
 * taken up. What did not pass is nobody's to decide here. The caller holds the session's lock.
 */
export async function workAssigned(workshop: Workshop, id: SessionId): Promise<void> {
  const tries: Tries = new Map();
  for (;;) {
    let isWorking = true;
    const wave = workWave(workshop, id).finally(() => {
      isWorking = false;
    });
    // Seen below; until then it must not count as unhandled.
    wave.catch(() => undefined);
    while (isWorking && !workshop.signal.aborted) {
      await judgeFinished(workshop, id, tries).catch(async (error: unknown) => {
        await wave.catch(() => undefined);
        throw error;
      });
      await Promise.race([wave.catch(() => undefined), workshop.machine.sleep(lookMs, workshop.signal)]);
    }
    await wave;
    // Once more where a validator gave no verdict.
    while ((await judgeFinished(workshop, id, tries)) && !workshop.windDown.isAsked());
    if (workshop.signal.aborted || workshop.windDown.isAsked()) return;
    const { session, tasks } = await viewSession(workshop, id);
    if (session.state !== 'active' || !isStartable(workshop, tasks)) return;
  }
}

function isStartable(workshop: Workshop, tasks: readonly Task[]): boolean {
  return canStart(withoutHeldApart(workshop, tasks), workshop.config.concurrency.development);
}

/** A verdict for each done task that has none; one that no validator could judge is left to a person. Resolves to whether there were any. */
async function judgeFinished(workshop: Workshop, id: SessionId, tries: Tries): Promise<boolean> {
  await replayUprooted(workshop, id);
  const view = await viewSession(workshop, id);
  for (const task of unjudgedOf(view)) {
    const known = view.snapshot.verdictsOn(task.commit).at(-1);
    if (known !== undefined) await recordVerdict(workshop, id, known);
  }
  const waiting = unjudgedTasks(view, tries);
  await prepareValidation(workshop, id, waiting);
  await inLanes(waiting, workshop.config.concurrency.validation, (task) =>
    judgeOne(workshop, id, { task, tries }),
  );
  return waiting.length > 0 && !workshop.signal.aborted;
}

function unjudgedTasks(view: SessionView, tries: Tries): readonly DoneTask[] {
  return unjudgedOf(view)
    .filter(({ commit }) => view.snapshot.verdictsOn(commit).length === 0)
    .filter((task) => !isLeftUnjudged(view, task))
    .filter(({ commit }) => (tries.get(commit) ?? 0) < triesBeforeAsking);
}

/** What waits for other work is judged on that. */
function unjudgedOf({ tasks }: SessionView): readonly DoneTask[] {
  const ground = readGround(tasks);
  return tasks.filter(isUnjudged).filter((task) => !ground.waits(task));
}

function isUnjudged(task: Task): task is DoneTask {
  return task.status === 'done' && task.result.status === null;
}

async function judgeOne(
  workshop: Workshop,
  id: SessionId,
  { task, tries }: { readonly task: DoneTask; readonly tries: Tries },
): Promise<void> {
  if (workshop.signal.aborted) return;
  tries.set(task.commit, (tries.get(task.commit) ?? 0) + 1);
  const judgement = await validateTask(workshop, id, task);
  if (judgement.kind === 'verdict') return recordVerdict(workshop, id, judgement.verdict);
  const message = `${task.id}: no verdict: ${judgement.reason}`;
  const until = `judged ${task.id}` as const;
  workshop.events.emit({ event: 'notice', level: 'warning', message, until });
}
