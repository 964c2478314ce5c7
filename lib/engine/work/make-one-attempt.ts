import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { GitCells } from '../../domain/ports/git-cells.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isInterrupted } from '../graceful-stop.ts';
import { type AdapterFacts, agentWorktreePath, type RunContext, type WithGit } from '../run-context.ts';
import { claimTaskForAgent } from './claim-for-agent.ts';
import { runAgentForAttempt } from './perform-attempt.ts';
import {
  type Attempt,
  type AttemptEnding,
  recordAttemptEnding,
  releaseClaimOfAttempt,
} from './record-attempt-ending.ts';
import type { AttemptProgress } from './running-attempts.ts';

interface AttemptStart {
  readonly task: Task;
  readonly adapter: AdapterFacts;
  readonly steps: AttemptProgress;
}

/**
 * One attempt at a task: claim, worktree, agent, post-check, and what it led to. A claim that can't be worked on
 * is given back; nothing is left over then. Resolves when the outcome is recorded and what isn't needed any more is
 * gone.
 */
export async function makeOneAttempt(
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
    path: agentWorktreePath(context, agent),
  };
  const begun = await claimTaskForAgent(context, attempt);
  if (begun === null) return;
  let ending: AttemptEnding;
  try {
    ending = await runAgentForAttempt(context, attempt, { ...begun, onAgentOver: () => steps.onAgentOver() });
  } catch (error) {
    // By its claim the next start finds what a finished agent left, and takes it in: it is not paid for twice.
    if (!(isInterrupted(error) && (await hasAgentFinished(context, [agent]))))
      await releaseClaimOfAttempt(context, attempt, error);
    throw error;
  }
  // A finished agent's work counts as it was judged before the stop; no other agent was given the time.
  if (context.signal.aborted && !ending.isJudged) await releaseClaimOfAttempt(context, attempt, null);
  else await recordAttemptEnding(context, attempt, ending, () => steps.onRecorded());
}

/** Whether one of these agents has ended well: the next start takes in what it left. */
export async function hasAgentFinished({ git }: WithGit<GitCells>, agents: readonly AgentId[]): Promise<boolean> {
  return (await git.cells()).some(({ ended }) => ended !== null && agents.some((agent) => agent === ended.run.id));
}
