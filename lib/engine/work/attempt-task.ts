import type { SessionId } from '../../domain/ids.ts';
import type { Task } from '../../domain/state/task.ts';
import type { AgentJob } from '../agents/start-agent.ts';
import { isInterrupted } from '../graceful-stop.ts';
import { type AdapterFacts, type RunContext, worktreePath } from '../run-context.ts';
import type { AttemptSteps } from './attempts.ts';
import { performAttempt } from './perform-attempt.ts';
import { type Attempt, type Ending, releaseAttempt, settleAttempt } from './settle-attempt.ts';
import { type StartedAttempt, startAttempt } from './start-attempt.ts';

interface AttemptStart {
  readonly task: Task;
  readonly adapter: AdapterFacts;
  readonly steps: AttemptSteps;
}

/**
 * One attempt at a task: claim, worktree, agent, post-check, and what it led to. A claim that can't be worked on
 * is given back; nothing is left over then. Resolves when the outcome is recorded and what isn't needed any more is
 * gone.
 */
export async function attemptTask(
  context: RunContext,
  session: SessionId,
  { task, adapter, steps }: AttemptStart,
): Promise<void> {
  const agent = context.newAgentId('worker');
  const attempt: Attempt = {
    session,
    task,
    agent,
    adapter,
    began: context.now().getTime(),
    path: worktreePath(context, agent),
  };
  const begun = await steps.open(() => startAttempt(context, attempt));
  if (begun === null) return;
  const left: (() => Promise<void>)[] = [];
  const release = async (): Promise<void> => {
    for (const work of left.splice(0)) await work();
  };
  try {
    await performClaim(context, attempt, {
      begun,
      steps,
      later: (work) => void left.push(work),
      clearUp: (work) =>
        steps.clearUp(async () => {
          await work();
          await release();
        }),
    });
  } finally {
    await release();
  }
}

interface Going {
  readonly begun: StartedAttempt;
  readonly steps: AttemptSteps;
  readonly later: NonNullable<AgentJob['later']>;
  readonly clearUp: AttemptSteps['clearUp'];
}

/** From a claim to what it led to. */
async function performClaim(
  context: RunContext,
  attempt: Attempt,
  { begun, steps, later, clearUp }: Going,
): Promise<void> {
  let ending: Ending;
  try {
    ending = await performAttempt(context, attempt, {
      ...begun,
      later,
      open: (work) => steps.open(work),
      judge: (work) => steps.judge(work),
    });
  } catch (error) {
    // By its claim the next start finds what a finished agent left, and takes it in: it is not paid for twice.
    if (!(isInterrupted(error) && (await hasFinished(context, attempt))))
      await releaseAttempt(context, attempt, error);
    throw error;
  }
  // A finished agent's work counts as it was judged before the stop; no other agent was given the time.
  if (context.signal.aborted && !ending.isJudged) await releaseAttempt(context, attempt, null);
  else await settleAttempt(context, attempt, ending, { onRecorded: () => steps.onRecorded(), clearUp });
}

async function hasFinished({ git }: Pick<RunContext, 'git'>, { path }: Attempt): Promise<boolean> {
  return (await git.cells()).some((cell) => cell.path === path && cell.ended !== null);
}
