import type { BudgetState } from '../../core/schedule/budget-state.ts';
import {
  type AgentQuestion,
  type AgentQuestionReply,
  askPersonToolName,
  noPersonToAskMessage,
  renderAgentQuestions,
} from '../../domain/agent-messages.ts';
import { FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import type { AgentAnswer, DecisionWithPlace } from '../../domain/ports/gates.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { redactIfSecret } from '../../policy/secrets/find-secrets.ts';
import { errorMessage } from '../../util/error-text.ts';
import { formatDuration } from '../../util/format-figures.ts';
import { decideAndRecord, type RecordContext } from '../record-changes.ts';
import { type RunContext, timestamp, warn } from '../run-context.ts';

/**
 * Lets an agent of a job ask the person; empty where it may not, or its CLI can't. Where no person can be asked, and
 * after `limits.question_timeout` in sum, the reply is to go on without an answer.
 */
export function makeAskPersonHandler(context: AskPersonContext, job: AskingJob): Pick<AgentRequest, 'ask'> {
  const { limits, permissions } = context.config;
  const { question_timeout: limit } = limits;
  const asks = context.adapter(job.adapter).calls?.asks ?? null;
  const isAlone = job.isInteractive !== true && job.tools === undefined;
  const mayAsk =
    (job.role === 'planner' || job.role === 'worker') && !permissions.blocked_tools.includes(askPersonToolName);
  if (limit === 'never' || asks === null || !isAlone || !mayAsk) return {};
  const longestMs = Math.min(limit, asks.longestMs);
  let usedMs = 0;
  return {
    ask: async (questions, gone) => {
      if (usedMs >= limit) return { kind: 'proceed', why: whyNot.late(limit) };
      const timeMs = Math.min(longestMs, limit - usedMs);
      const clock: Clock = { since: performance.now() };
      try {
        return await askPerson(context, job, { questions, gone, timeMs, clock });
      } finally {
        usedMs += performance.now() - clock.since;
      }
    },
  };
}

export type AskPersonContext = Pick<
  RunContext,
  'adapter' | 'config' | 'events' | 'gates' | 'machine' | 'now' | 'decided' | 'remoteSession' | 'store'
>;

/** Facts about an agent's job. */
interface AskingJob extends Pick<AgentRequest, 'role' | 'adapter' | 'tools'> {
  readonly id: string;
  readonly session: SessionId;
  readonly task: Pick<Task, 'id' | 'title'> | null;
  readonly isInteractive?: boolean;
}

/** When its time began to run, on the clock that never goes back. */
interface Clock {
  since: number;
}

interface Asking {
  readonly questions: readonly AgentQuestion[];
  /** Aborted when no agent waits for the answer any more. */
  readonly gone: AbortSignal;
  readonly timeMs: number;
  readonly clock: Clock;
}

/** Ends the question that `asked` began in every case; the agent gets the answer even if recording it fails. */
async function askPerson(context: AskPersonContext, job: AskingJob, asking: Asking): Promise<AgentQuestionReply> {
  const { gates, events } = context;
  const task = job.task?.id ?? null;
  const about = { agent: job.id, task, text: redactIfSecret(renderAgentQuestions(asking.questions)) };
  events.emit({ event: 'question', ...about, state: 'asked', answer: '' });
  let answer: Awaited<ReturnType<typeof answerInTime>>;
  try {
    answer = gates.question === undefined ? 'no-person' : await answerInTime(context, job, asking);
  } catch (error) {
    answer = { kind: 'proceed', why: 'The question could not be shown to a person.' };
    // Ctrl-D and Ctrl-C say by themselves what they came to.
    if (!(error instanceof FlameError && (error.kind === 'waiting' || error.kind === 'interrupted')))
      warn(context, `The question of ${job.id} got no answer: ${errorMessage(error)}`);
  }
  if (typeof answer !== 'string' && answer.kind === 'answer') {
    const words = redactIfSecret(answer.answers.join('; '), about.text);
    const line = `${task ?? job.role} asked ${about.text}: ${words}`;
    await noteAnswer(context, job, { line, answer });
    events.emit({ event: 'question', ...about, state: 'answered', answer: words });
    return { kind: 'answer', answers: answer.answers };
  }
  const state = asking.gone.aborted ? 'dropped' : 'unanswered';
  const why = typeof answer === 'string' ? whyNot[answer](asking.timeMs) : (answer.why ?? leftToIt);
  events.emit({ event: 'question', ...about, state, answer: why });
  return { kind: 'proceed', why };
}

const leftToIt = 'The person leaves it to you.';

const whyNot: Readonly<Record<'no-person' | 'late' | 'behind', (timeMs: number) => string>> = {
  'no-person': () => noPersonToAskMessage,
  late: (timeMs) => `No answer came within ${formatDuration(timeMs)}.`,
  behind: (timeMs) => `Other questions were ahead of it for ${formatDuration(timeMs)}.`,
};

/** `late`: time is up, or the agent has ended; `behind`: its turn never came. Every place that shows it is updated. */
async function answerInTime(
  { gates, machine }: Pick<RunContext, 'gates' | 'machine'>,
  { id: agent, task, role }: AskingJob,
  { questions, gone, timeMs, clock }: Asking,
): Promise<DecisionWithPlace<AgentAnswer> | 'late' | 'behind' | 'no-person'> {
  const over = new AbortController();
  const onGone = (): void => over.abort(new Error('The agent that asked has ended.'));
  gone.addEventListener('abort', onGone, { once: true });
  if (gone.aborted) onGone();
  const queued = new AbortController();
  const timeUp = async (turn?: AbortSignal): Promise<void> => {
    await machine.sleep(timeMs, turn === undefined ? over.signal : AbortSignal.any([over.signal, turn]));
    // Its turn has come: its time begins again.
    if (turn?.aborted !== true) over.abort(new Error('No answer came in time.'));
  };
  const late = new Promise<'late' | 'behind'>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(queued.signal.aborted ? 'late' : 'behind'));
    if (over.signal.aborted) resolve('late');
  });
  const untilNow = (): string => new Date(Date.now() + timeMs).toISOString();
  const laid = (): string => {
    queued.abort();
    clock.since = performance.now();
    void timeUp();
    return untilNow();
  };
  void timeUp(queued.signal);
  const asked = { agent, task: task?.id ?? null, title: task?.title ?? role, questions, until: untilNow() };
  const answered =
    gates.question?.({ ...asked, laid, withdrawn: over.signal }) ?? Promise.resolve('no-person' as const);
  try {
    return await Promise.race([answered, late]);
  } catch (error) {
    if (over.signal.aborted) return late;
    throw error;
  } finally {
    gone.removeEventListener('abort', onGone);
    over.abort(new Error('It has an answer.'));
    answered.catch(() => undefined);
  }
}

/** Records a person's answer with their decisions; if that fails, the agent gets the answer all the same. */
async function noteAnswer(
  context: AskPersonContext,
  job: AskingJob,
  { line, answer }: { readonly line: string; readonly answer: DecisionWithPlace<AgentAnswer> },
): Promise<void> {
  try {
    await decideAndRecord(context, job.session, ({ session }) => ({
      session: {
        next: addGateDecision(session, { gate: 'question', decision: line.slice(0, 2_000) }, answer, context),
        subject: `session: ${job.id} was answered`,
      },
    }));
  } catch (error) {
    warn(context, `${job.id} received its answer, but the answer could not be recorded: ${errorMessage(error)}`);
  }
}

/** The session's budget is spent: a person raises it (true) or stops the session (false). */
export async function askToRaiseBudget(
  context: RecordContext,
  id: SessionId,
  { spent, limit, unit }: BudgetState,
): Promise<boolean> {
  const decision = await context.gates.budget({ spent, limit, unit });
  if (decision.kind === 'raise') requireAmount(decision.amount);
  const isRaised = decision.kind === 'raise';
  const outcome = isRaised ? `raised by ${decision.amount}` : 'stop';
  context.events.emit({ event: 'gate', gate: 'budget', decision: outcome });
  await decideAndRecord(context, id, ({ session: now }) => {
    const raised = isRaised ? { raised_limit: limit + decision.amount } : { state: 'stopped' as const };
    const next: Session = {
      ...addGateDecision(now, { gate: 'budget', decision: outcome }, decision, context),
      ...raised,
    };
    return { session: { next, subject: `session: budget ${outcome}` } };
  });
  return isRaised;
}

/** Something that is no amount, or takes from the limit, would be no limit any more, or never reached again. */
function requireAmount(amount: number): void {
  if (Number.isFinite(amount) && amount > 0) return;
  throw refusedError('bad-raise', `The limit can't be raised by ${amount}: it takes an amount above 0.`, [
    'git flame run',
  ]);
}

/** A session with a gate's decision noted, and where it was taken. */
export function addGateDecision(
  session: Session,
  answered: { readonly gate: string; readonly decision: string },
  { where }: DecisionWithPlace<unknown>,
  context: Pick<RunContext, 'gates' | 'now'>,
): Session {
  const place = where === undefined ? {} : { where };
  const noted = { ...answered, by: context.gates.person, at: timestamp(context), ...place };
  return { ...session, gates: [...session.gates, noted].slice(-200) };
}
