import type { Failure } from '../../domain/failure.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { AgentId } from '../../domain/ids.ts';
import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import type { AgentRunRecord, Session } from '../../domain/state/session-schema.ts';
import type { ClaimedTask, DoneTask, HistoryEntry, Task } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { formatCount } from '../../util/format-figures.ts';
import { boundText, toOneLine } from './bound-text.ts';
import { amendLatestDoneEntry, freeEntry } from './task-history.ts';
import {
  boundIssues,
  emptyTaskResult,
  illegalTransitionError,
  makeTaskChange,
  type TaskChange,
  withBuiltOn,
  withKeptWork,
  withReasons,
} from './task-state.ts';

/** Result of an attempt, once its agent is over. */
export type AttemptResult = Pick<
  AttemptRecord,
  'ended' | 'notes' | 'left' | 'reasons' | 'cost_usd' | 'tokens' | 'failure' | 'work'
>;

/** Before its agent is over. */
export const unendedAttemptResult: AttemptResult = {
  ended: null,
  notes: '',
  left: [],
  cost_usd: 0,
  tokens: 0,
};

/** The agents of a claim that are still to come to an end; a task of one attempt has one. */
export function listRunningAgentsOfTask(task: Pick<Task, 'status' | 'agent_id' | 'tries'>): readonly AgentId[] {
  if (task.status !== 'claimed' || task.agent_id === null) return [];
  if (task.tries === undefined) return [task.agent_id];
  return task.tries.filter(({ ended }) => ended === null).map(({ agent_id }) => agent_id);
}

/** Counts the agents a pending task asks for: one, or as many as attempts that are not over yet. */
export function countWantedAttempts({ attempts, tries }: Pick<Task, 'attempts' | 'tries'>): number {
  if (attempts === undefined) return 1;
  return attempts.length - (tries?.filter(({ ended }) => ended !== null).length ?? 0);
}

/** One of the attempts of a claimed task is over; the claim goes on. */
export function recordAttemptResult(task: Task, agent: AgentId, end: AttemptResult): TaskChange<ClaimedTask> {
  const said = describeAttemptEnd(end);
  return changeOneAttempt(task, agent, (one) => ({ ...one, ...end }), said);
}

/** An attempt that is not made, and why. */
export function skipAttempt(one: AttemptRecord, why: string): AttemptRecord {
  return { ...one, ended: 'left-out', notes: why };
}

/** Leaves out what is not over of a claimed task's attempts. */
export function skipRemainingAttempts(task: Task, why: string): TaskChange<ClaimedTask> {
  if (task.status !== 'claimed') throw illegalTransitionError(task, 'claimed');
  const tries = task.tries ?? [];
  const open = tries.filter(({ ended }) => ended === null);
  const next: ClaimedTask = {
    ...task,
    tries: tries.map((one) => (one.ended === null ? skipAttempt(one, why) : one)),
  };
  return makeTaskChange(task, next, `, ${formatCount(open.length, 'attempt')} left out: ${why}`);
}

/** Records the findings about the work of one attempt. */
export function recordAttemptFindings(
  task: Task,
  agent: AgentId,
  found: Pick<AttemptRecord, 'failing' | 'verdict'>,
): TaskChange<ClaimedTask> {
  const failing = found.failing ?? [];
  const checks = failing.length === 0 ? '' : `, ${formatCount(failing.length, 'diagnostic')} failed`;
  return changeOneAttempt(
    task,
    agent,
    (one) => ({ ...one, ...found }),
    `${found.verdict === undefined ? 'checked' : `judged ${found.verdict}`}${checks}`,
  );
}

function changeOneAttempt(
  task: Task,
  agent: AgentId,
  change: (one: AttemptRecord) => AttemptRecord,
  said: string,
): TaskChange<ClaimedTask> {
  if (task.status !== 'claimed') throw illegalTransitionError(task, 'claimed');
  const tries = task.tries ?? [];
  const at = tries.findIndex((one) => one.agent_id === agent);
  const next: ClaimedTask = { ...task, tries: tries.map((one, index) => (index === at ? change(one) : one)) };
  return makeTaskChange(task, next, `, attempt ${at + 1} of ${tries.length} by ${agent} ${said}`);
}

function describeAttemptEnd({ work, failure }: AttemptResult): string {
  if (work !== undefined) return `submitted: ${formatCount(work.lines, 'line')}`;
  return `failed: ${failure?.message ?? ''}`;
}

/** Tries of which one is the task's. */
export function markChosenAttempt(tries: readonly AttemptRecord[], at: number): AttemptRecord[] {
  return tries.map(({ chosen: _, ...one }, index) => (index === at ? { ...one, chosen: true } : one));
}

/** Sums up several attempts of which none handed in work, as the failure of one. */
export function combineFailures(tries: readonly AttemptRecord[]): Failure {
  const failures = tries.flatMap(({ agent_id, failure }) => (failure === undefined ? [] : [{ agent_id, ...failure }]));
  const [first] = failures;
  const message = `None of ${formatCount(failures.length, 'attempt')} succeeded: ${failures
    .map((one) => `${one.agent_id}: ${one.message}`)
    .join(' ')}`;
  return {
    kind: first?.kind ?? 'agent-error',
    message: toOneLine(message, 1_000),
    details: failures.flatMap(({ agent_id, message: why, details }) => [
      `${agent_id}: ${why}`,
      ...details.filter((detail) => !why.startsWith(detail)),
    ]),
    retryable: failures.some(({ retryable }) => retryable),
    rules: [...new Set(failures.flatMap(({ rules }) => rules))],
  };
}

/** A failure as an attempt keeps it. */
export function toStoredFailure({
  kind,
  message,
  details,
  retryable,
  rules = [],
}: Failure): NonNullable<AttemptRecord['failure']> {
  return {
    kind,
    message: boundText(message, 2_000),
    details: boundIssues(details),
    retryable,
    rules: [...rules],
  };
}

/**
 * Makes another attempt's work a done task's, without changing its status: what was found about the one before is about
 * another commit. `at` counts from 0. Throws FlameErrors `illegal-transition` where it isn't done, `no-attempt`.
 */
export function setChosenAttemptOfTask(
  task: Task,
  at: number,
  choice: { readonly by: string; readonly at: string },
): TaskChange<DoneTask> {
  if (task.status !== 'done') throw illegalTransitionError(task, 'done');
  const tries = task.tries ?? [];
  const one = tries[at];
  if (one?.work === undefined) throw noAttempt(task, at);
  const { commit, start, from, built_on: builtOn } = one.work;
  const said = `attempt ${at + 1} of ${tries.length} by ${one.agent_id} chosen by ${choice.by}`;
  const next: DoneTask = {
    ...withKeptWork(
      withReasons(withBuiltOn(task, builtOn), one.reasons),
      from === undefined ? undefined : { commit: from, start },
    ),
    status: 'done',
    agent_id: one.agent_id,
    commit,
    start_commit: start,
    tries: markChosenAttempt(tries, at),
    result: { ...emptyTaskResult, notes: boundText(one.notes) },
    history: byAgent(
      amendLatestDoneEntry(task.history, {
        ...freeEntry,
        agent_id: one.agent_id,
        timestamp: choice.at,
        result: 'done',
        notes: boundText([one.notes, `Its ${said}.`].filter(Boolean).join('\n')),
      }),
      one.agent_id,
    ),
  };
  return makeTaskChange(task, next, `, ${said}`);
}

/** The latest entry, of another agent. */
function byAgent(history: readonly HistoryEntry[], agent: AgentId): HistoryEntry[] {
  return history.map((entry, at) => (at === history.length - 1 ? { ...entry, agent_id: agent } : entry));
}

function noAttempt(task: DoneTask, at: number): FlameError {
  const there = (task.tries ?? []).flatMap(({ work }, index) => (work === undefined ? [] : [`${index + 1}`]));
  return refusedError(
    'no-attempt',
    there.length === 0
      ? `${task.id} had only one attempt, so there is no other to choose.`
      : `Attempt ${at + 1} of ${task.id} submitted no work. These did: ${there.join(', ')}.`,
    [`git flame show ${task.id}`],
  );
}

/** Describes an attempt's verdict in one word each, for the person or agent that decides between them. */
export function toAttemptFindings({
  status,
  diagnostics,
}: Pick<Verdict, 'status' | 'diagnostics'>): Pick<AttemptRecord, 'failing' | 'verdict'> {
  const failing = diagnostics.filter(({ exit_code: code }) => code !== 0).map(({ command }) => command);
  return { ...(diagnostics.length === 0 ? {} : { failing }), verdict: status };
}

/** Number of validators that may end without a verdict on a result before a person is asked to pay for another. */
export const maxValidatorsWithoutVerdict = 2;

// Not their doing: each is started again by itself once that is over.
const excused = new Set(['agent-stopped', 'rate-limit', 'session-budget', 'killed']);

/**
 * The validators that were paid for a task's present result, by what its session's note booked since it was done.
 * As long as there is no verdict on it, none of them gave one.
 */
export function listValidatorsWithoutVerdict({ agents }: Session, { id, history }: Task): readonly AgentRunRecord[] {
  const doneAt = history.findLast(({ result }) => result === 'done')?.timestamp ?? '';
  return agents.filter(
    ({ role, task_id, started_at, outcome }) =>
      role === 'validator' && task_id === id && started_at >= doneAt && !excused.has(outcome),
  );
}
