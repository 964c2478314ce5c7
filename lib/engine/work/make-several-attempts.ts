import {
  combineFailures,
  listRunningAgentsOfTask,
  markChosenAttempt,
  skipRemainingAttempts,
} from '../../core/task/attempt-records.ts';
import { pickBestAttempt } from '../../core/task/pick-attempt.ts';
import { hasUsedUpPostponements } from '../../core/task/retry-after-failure.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import type { Failure } from '../../domain/failure.ts';
import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isInterrupted } from '../graceful-stop.ts';
import { decideAndRecord, requireTaskInView, viewSession } from '../record-changes.ts';
import { agentWorktreePath, type RunContext } from '../run-context.ts';
import { claimTaskForAgent, type StartedAttempt } from './claim-for-agent.ts';
import { makeFailedEnding } from './judge-agent-work.ts';
import { checkAttemptsToChoose, doesAttemptCountHere, makeAttemptRecords } from './judge-several-attempts.ts';
import { hasAgentFinished } from './make-one-attempt.ts';
import { runAgentForAttempt } from './perform-attempt.ts';
import {
  type Attempt,
  recordAcceptedWork,
  recordAttemptEnding,
  releaseClaimOfAttempt,
} from './record-attempt-ending.ts';
import { recordOneOfSeveralAttempts } from './record-one-attempt.ts';
import type { AttemptProgress } from './running-attempts.ts';

interface SeveralStart {
  readonly task: Task;
  readonly steps: AttemptProgress;
}

/**
 * Makes several attempts at a task at once, each by an agent of its own in a cell of its own, all under one claim: each
 * result is recorded as it ends, then they are judged, and one of them is the task's work. An attempt that was over
 * before a stop is not made again. Resolves when that is recorded, or the rest must be made later.
 */
export async function makeSeveralAttempts(context: RunContext, { task, steps }: SeveralStart): Promise<void> {
  const tries = await makeAttemptRecords(context, task);
  const open = tries.filter(({ ended }) => ended === null);
  steps.needPlaces(open.length);
  const claim = claimOf(context, task, tries);
  const begun = await claimTaskForAgent(context, { ...claim, tries });
  if (begun === null) return;
  try {
    const postponed = await makeAll(context, { task, open, begun, steps });
    if (context.signal.aborted) await releaseClaimOfAttempt(context, claim, null);
    else await settle(context, claim, { postponed, steps });
  } catch (error) {
    const agents = open.map(({ agent_id: agent }) => agent);
    // By its claim the next start finds what a finished agent left, and takes it in: it is not paid for twice.
    if (!(isInterrupted(error) && (await hasAgentFinished(context, agents))))
      await releaseClaimOfAttempt(context, claim, error);
    throw error;
  }
}

/** Claims for the first attempt that is open; if all are over, for one that only decides between them. */
function claimOf(context: RunContext, task: Task, tries: readonly AttemptRecord[]): Attempt {
  const agent_id = context.newAgentId('worker');
  const [decided = { agent_id, adapter: findRoleAdapter(context.config, 'worker', task), model: null }] = tries;
  const open = tries.find(({ ended }) => ended === null);
  return makeAttemptFromRecord(context, task, open ?? { ...decided, agent_id });
}

interface Round {
  readonly task: Task;
  readonly open: readonly AttemptRecord[];
  readonly begun: StartedAttempt;
  readonly steps: AttemptProgress;
}

/** Makes all of them; one that fails doesn't stop the others. Returns why some must be made again. */
async function makeAll(context: RunContext, { open, ...round }: Round): Promise<readonly Failure[]> {
  const ended = await Promise.allSettled(open.map((one) => makeOne(context, { ...round, one })));
  const broken = ended.find((one) => one.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return ended.flatMap((one) => (one.status === 'fulfilled' && one.value !== null ? [one.value] : []));
}

async function makeOne(
  context: RunContext,
  { task, one, begun, steps }: Omit<Round, 'open'> & { readonly one: AttemptRecord },
): Promise<Failure | null> {
  await steps.takePlace();
  let isOver = false;
  const onAgentOver = (): void => {
    isOver = true;
    steps.onAgentOver();
  };
  try {
    // While it waited for a place, the run may have been stopped.
    if (context.signal.aborted || context.gracefulStop.isRequested()) return null;
    const attempt = makeAttemptFromRecord(context, task, one);
    const ending = await runAgentForAttempt(context, attempt, { ...begun, onAgentOver });
    // A finished agent's work counts as it was judged before the stop; no other agent was given the time.
    if (context.signal.aborted && !ending.isJudged) return null;
    return await recordOneOfSeveralAttempts(context, attempt, ending);
  } finally {
    if (!isOver) onAgentOver();
  }
}

/** One of the attempts as if it were the only one, with the adapter and model of its own. */
export function makeAttemptFromRecord(
  context: Pick<RunContext, 'adapter' | 'config' | 'now' | 'root'>,
  task: Task,
  { agent_id: agent, adapter, model }: Pick<AttemptRecord, 'agent_id' | 'adapter' | 'model'>,
): Attempt {
  return {
    session: task.session,
    task: { ...task, adapter, model },
    agent,
    adapter: context.adapter(adapter),
    began: context.now().getTime(),
    path: agentWorktreePath(context, agent),
  };
}

interface Ended {
  readonly postponed: readonly Failure[];
  readonly steps: AttemptProgress;
}

async function settle(context: RunContext, claim: Attempt, { postponed, steps }: Ended): Promise<void> {
  const { session, task } = claim;
  const onRecorded = (): void => steps.onRecorded();
  const [again] = postponed;
  // Attempts that are over stay so, the rest is made once possible; if it never is, work that was handed in counts.
  if (again !== undefined && !(await hasWorkForGood(context, claim)))
    return recordAttemptEnding(context, claim, makeFailedEnding(again), onRecorded);
  if (!(await leaveOutOpen(context, claim, again?.message ?? 'The run was asked to start no more agents.')))
    return releaseClaimOfAttempt(context, claim, 'the run was asked to start no more agents');
  await checkAttemptsToChoose(context, session, task.id);
  if (context.signal.aborted) return releaseClaimOfAttempt(context, claim, null);
  const now = requireTaskInView(await viewSession(context, session), task.id);
  const tries = now.tries ?? [];
  // Work that was not judged here was not handed in here.
  const handedIn: AttemptRecord[] = [];
  for (const { work, ...one } of tries)
    handedIn.push(
      work !== undefined && (await doesAttemptCountHere(context, now, { ...one, work })) ? { ...one, work } : one,
    );
  const picked = pickBestAttempt(handedIn);
  const work = picked === null ? undefined : tries[picked.at]?.work;
  if (picked === null || work === undefined) {
    const outcome = spentOn(tries);
    return recordAttemptEnding(context, claim, { ...makeFailedEnding(combineFailures(tries)), outcome }, onRecorded);
  }
  await takeOne(context, claim, { tries, ...picked, onRecorded });
}

async function hasWorkForGood(context: RunContext, { session, task }: Attempt): Promise<boolean> {
  const now = requireTaskInView(await viewSession(context, session), task.id);
  return hasUsedUpPostponements(now) && (now.tries ?? []).some(({ work }) => work !== undefined);
}

/**
 * Leaves out attempts that were not made, since no further agent was wanted or possible, if another one handed in work.
 * false: none did, so they must be made later.
 */
async function leaveOutOpen(context: RunContext, { session, task, agent }: Attempt, why: string): Promise<boolean> {
  let isDecidable = true;
  await decideAndRecord(context, session, (view) => {
    const now = requireTaskInView(view, task.id);
    isDecidable = listRunningAgentsOfTask(now).length === 0 || (now.tries ?? []).some(({ work }) => work !== undefined);
    if (now.agent_id !== agent || !isDecidable || listRunningAgentsOfTask(now).length === 0) return null;
    return { steps: [skipRemainingAttempts(now, why)] };
  });
  return isDecidable;
}

interface Taken {
  readonly tries: readonly AttemptRecord[];
  readonly at: number;
  readonly why: string;
  readonly onRecorded: () => void;
}

async function takeOne(context: RunContext, claim: Attempt, { tries, at, why, onRecorded }: Taken): Promise<void> {
  const one = tries[at];
  if (one?.work === undefined) return;
  const { commit, start, from, built_on: builtOn = [] } = one.work;
  const { cost_usd: cost, tokens } = spentOn(tries);
  await recordAcceptedWork(context, claim, {
    tip: commit,
    by: one.agent_id,
    leftNotes: { notes: one.left, leftOut: 0 },
    onRecorded,
    done: {
      commit,
      start,
      builtOn,
      notes: one.notes,
      ...(one.reasons === undefined ? {} : { reasons: one.reasons }),
      cost,
      tokens,
      ...(from === undefined ? {} : { from }),
      tries: markChosenAttempt(tries, at),
      why: `best of ${tries.length}: ${why}`,
    },
  });
}

function spentOn(tries: readonly AttemptRecord[]): Pick<AttemptRecord, 'cost_usd' | 'tokens'> {
  return {
    cost_usd: tries.reduce((sum, one) => sum + one.cost_usd, 0),
    tokens: tries.reduce((sum, one) => sum + one.tokens, 0),
  };
}
