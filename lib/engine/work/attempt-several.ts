import { isPutOffForGood } from '../../core/task/after-failure.ts';
import { pickTry } from '../../core/task/pick-attempt.ts';
import { agentsOf, failureOfAll, leaveOutRest, withChosen } from '../../core/task/several-attempts.ts';
import { roleAdapter } from '../../domain/config/role-settings.ts';
import type { Failure } from '../../domain/failure.ts';
import type { Try } from '../../domain/state/attempt-record.ts';
import type { Task } from '../../domain/state/task.ts';
import { isInterrupted } from '../interrupted.ts';
import { record, taskOf, viewSession } from '../record.ts';
import { type Workshop, worktreePath } from '../run-context.ts';
import type { AttemptSteps } from './attempts.ts';
import { failed } from './judge-work.ts';
import { performAttempt } from './perform-attempt.ts';
import { type Attempt, recordDone, releaseAttempt, settleAttempt } from './settle-attempt.ts';
import { type Begun, beginAttempt } from './start-attempt.ts';
import { isJudgedHere, judgeTries, planTries, recordTry } from './tries.ts';

interface SeveralStart {
  readonly task: Task;
  readonly steps: AttemptSteps;
}

/**
 * Makes several attempts at a task at once, each by an agent of its own in a cell of its own, all under one claim: each
 * result is recorded as it ends, then they are judged, and one of them is the task's work. An attempt that was over
 * before a stop is not made again. Resolves when that is recorded, or the rest must be made later.
 */
export async function attemptSeveral(workshop: Workshop, { task, steps }: SeveralStart): Promise<void> {
  const tries = await planTries(workshop, task);
  const open = tries.filter(({ ended }) => ended === null);
  steps.needPlaces(open.length);
  const claim = claimOf(workshop, task, tries);
  const begun = await beginAttempt(workshop, { ...claim, tries });
  if (begun === null) return;
  try {
    const postponed = await makeAll(workshop, { task, open, begun, steps });
    if (workshop.signal.aborted) await releaseAttempt(workshop, claim, null);
    else await settle(workshop, claim, { postponed, steps });
  } catch (error) {
    // By its claim the next start finds what a finished agent left, and takes it in: it is not paid for twice.
    if (!(isInterrupted(error) && (await hasFinished(workshop, open))))
      await releaseAttempt(workshop, claim, error);
    throw error;
  }
}

/** Claims for the first attempt that is open; if all are over, for one that only decides between them. */
function claimOf(workshop: Workshop, task: Task, tries: readonly Try[]): Attempt {
  const agent_id = workshop.newAgentId('worker');
  const [decided = { agent_id, adapter: roleAdapter(workshop.config, 'worker', task), model: null }] = tries;
  const open = tries.find(({ ended }) => ended === null);
  return attemptOf(workshop, task, open ?? { ...decided, agent_id });
}

interface Round {
  readonly task: Task;
  readonly open: readonly Try[];
  readonly begun: Begun;
  readonly steps: AttemptSteps;
}

/** Makes all of them; one that fails doesn't stop the others. Returns why some must be made again. */
async function makeAll(workshop: Workshop, { open, ...round }: Round): Promise<readonly Failure[]> {
  const ended = await Promise.allSettled(open.map((one) => makeOne(workshop, { ...round, one })));
  const broken = ended.find((one) => one.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return ended.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []));
}

async function makeOne(
  workshop: Workshop,
  { task, one, begun, steps }: Omit<Round, 'open'> & { readonly one: Try },
): Promise<Failure | null> {
  await steps.takePlace();
  let isOver = false;
  const judge: AttemptSteps['judge'] = (work) => {
    isOver = true;
    return steps.judge(work);
  };
  try {
    // While it waited for a place, the run may have been stopped.
    if (workshop.signal.aborted || workshop.windDown.isAsked()) return null;
    const attempt = attemptOf(workshop, task, one);
    const ending = await performAttempt(workshop, attempt, {
      ...begun,
      open: (work) => steps.open(work),
      judge,
    });
    // A finished agent's work counts as it was judged before the stop; no other agent was given the time.
    if (workshop.signal.aborted && !ending.isJudged) return null;
    return await recordTry(workshop, attempt, ending);
  } finally {
    if (!isOver) steps.onAgentOver();
  }
}

/** One of the attempts as if it were the only one, with the adapter and model of its own. */
export function attemptOf(
  workshop: Pick<Workshop, 'adapter' | 'config' | 'now' | 'root'>,
  task: Task,
  { agent_id: agent, adapter, model }: Pick<Try, 'agent_id' | 'adapter' | 'model'>,
): Attempt {
  return {
    session: task.session,
    task: { ...task, adapter, model },
    agent,
    adapter: workshop.adapter(adapter),
    began: workshop.now().getTime(),
    path: worktreePath(workshop, agent),
  };
}

async function hasFinished({ git }: Pick<Workshop, 'git'>, open: readonly Try[]): Promise<boolean> {
  const ids = new Set<string>(open.map(({ agent_id }) => agent_id));
  return (await git.cells()).some(({ ended }) => ended !== null && ids.has(ended.run.id));
}

interface Ended {
  readonly postponed: readonly Failure[];
  readonly steps: AttemptSteps;
}

async function settle(workshop: Workshop, claim: Attempt, { postponed, steps }: Ended): Promise<void> {
  const { session, task } = claim;
  const onRecorded = (): void => steps.onRecorded();
  const [again] = postponed;
  // Attempts that are over stay so, the rest is made once possible; if it never is, work that was handed in counts.
  if (again !== undefined && !(await hasWorkForGood(workshop, claim)))
    return settleAttempt(workshop, claim, failed(again), { onRecorded });
  if (!(await leaveOutOpen(workshop, claim, again?.message ?? 'No further agent was asked for.')))
    return releaseAttempt(workshop, claim, 'no further agent was asked for');
  await judgeTries(workshop, session, task.id);
  if (workshop.signal.aborted) return releaseAttempt(workshop, claim, null);
  const now = taskOf(await viewSession(workshop, session), task.id);
  const tries = now.tries ?? [];
  // Work that was not judged here was not handed in here.
  const handedIn: Try[] = [];
  for (const { work, ...one } of tries)
    handedIn.push(
      work !== undefined && (await isJudgedHere(workshop, now, { ...one, work })) ? { ...one, work } : one,
    );
  const picked = pickTry(handedIn);
  const work = picked === null ? undefined : tries[picked.at]?.work;
  if (picked === null || work === undefined) {
    const outcome = spentOn(tries);
    return settleAttempt(workshop, claim, { ...failed(failureOfAll(tries)), outcome }, { onRecorded });
  }
  await takeOne(workshop, claim, { tries, ...picked, onRecorded });
}

async function hasWorkForGood(workshop: Workshop, { session, task }: Attempt): Promise<boolean> {
  const now = taskOf(await viewSession(workshop, session), task.id);
  return isPutOffForGood(now) && (now.tries ?? []).some(({ work }) => work !== undefined);
}

/**
 * Leaves out attempts that were not made, since no further agent was wanted or possible, if another one handed in work.
 * false: none did, so they must be made later.
 */
async function leaveOutOpen(
  workshop: Workshop,
  { session, task, agent }: Attempt,
  why: string,
): Promise<boolean> {
  let isDecidable = true;
  await record(workshop, session, (view) => {
    const now = taskOf(view, task.id);
    isDecidable = agentsOf(now).length === 0 || (now.tries ?? []).some(({ work }) => work !== undefined);
    if (now.agent_id !== agent || !isDecidable || agentsOf(now).length === 0) return null;
    return { steps: [leaveOutRest(now, why)] };
  });
  return isDecidable;
}

interface Taken {
  readonly tries: readonly Try[];
  readonly at: number;
  readonly why: string;
  readonly onRecorded: () => void;
}

async function takeOne(
  workshop: Workshop,
  claim: Attempt,
  { tries, at, why, onRecorded }: Taken,
): Promise<void> {
  const one = tries[at];
  if (one?.work === undefined) return;
  const { commit, start, from, built_on: builtOn = [] } = one.work;
  const { cost_usd: cost, tokens } = spentOn(tries);
  await recordDone(workshop, claim, {
    tip: commit,
    by: one.agent_id,
    told: { notes: one.left, leftOut: 0 },
    onRecorded,
    done: {
      commit,
      start,
      builtOn,
      notes: one.notes,
      cost,
      tokens,
      ...(from === undefined ? {} : { from }),
      tries: withChosen(tries, at),
      why: `best of ${tries.length}: ${why}`,
    },
  });
}

function spentOn(tries: readonly Try[]): Pick<Try, 'cost_usd' | 'tokens'> {
  return {
    cost_usd: tries.reduce((sum, one) => sum + one.cost_usd, 0),
    tokens: tries.reduce((sum, one) => sum + one.tokens, 0),
  };
}
