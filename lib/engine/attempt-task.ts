import { claimTask } from '../core/task-state.ts';
import type { AgentOutcome } from '../domain/agent-port.ts';
import type { Failure } from '../domain/failure.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { CellWorktree } from '../domain/git-port.ts';
import type { SessionId } from '../domain/ids.ts';
import type { AgentPolicy, Violation } from '../domain/policy.ts';
import type { Task } from '../domain/task.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import { collectWork } from './collect-work.ts';
import { prepareWorktree } from './prepare-worktree.ts';
import { record, type SessionView, taskOf } from './record.ts';
import { runAgent } from './run-agent.ts';
import { type Attempt, type Ending, releaseAttempt, settleAttempt } from './settle-attempt.ts';
import { startPoint } from './start-point.ts';
import { type AdapterFacts, timestamp, type Workshop, worktreePath } from './workshop.ts';

/**
 * One attempt at a task: claim, worktree, agent, post-check, and what it led to. A claim that can't be worked on
 * is given back; nothing is left over then. Resolves when the outcome is recorded.
 */
export async function attemptTask(
  workshop: Workshop,
  session: SessionId,
  task: Task,
  adapter: AdapterFacts,
): Promise<void> {
  const agent = workshop.newAgentId('worker');
  const attempt: Attempt = {
    session,
    task,
    agent,
    adapter,
    path: worktreePath(workshop, agent),
  };
  const view = await claim(workshop, attempt);
  if (view === null) return;
  let ending: Ending;
  try {
    ending = await perform(workshop, attempt, view);
  } catch (error) {
    await releaseAttempt(workshop, attempt, error);
    throw error;
  }
  // Work that was accepted before the stop is not thrown away.
  if (workshop.signal.aborted && ending.work === null) await releaseAttempt(workshop, attempt, null);
  else await settleAttempt(workshop, attempt, ending);
}

async function claim(
  workshop: Workshop,
  { session, task, agent, path }: Attempt,
): Promise<SessionView | null> {
  const claimed = await record(workshop, session, (view) => {
    const now = taskOf(view, task.id);
    if (now.status !== 'pending' || now.rev !== task.rev) return null;
    return {
      steps: [
        claimTask(now, {
          agentId: agent,
          worktree: path,
          at: timestamp(workshop),
          claimedBy: workshop.gates.person,
          host: workshop.place,
        }),
      ],
    };
  });
  return claimed.kind === 'done' ? claimed.view : null;
}

async function perform(workshop: Workshop, attempt: Attempt, view: SessionView): Promise<Ending> {
  const { task } = attempt;
  const start = await startPoint(workshop, view.session, task, view.tasks);
  if (start.kind === 'conflict') {
    const message = `The work of its dependencies conflicts: ${start.with} in ${start.paths.join(', ')}`;
    return failed({ kind: 'conflict', message, details: start.paths, retryable: false });
  }
  const cell = await workshop.git.addCellWorktree(attempt.path, start.commit, {
    session: attempt.session,
    task: task.id,
  });
  let isAccepted = false;
  try {
    const ending = await workIn(workshop, attempt, cell);
    isAccepted = ending.work !== null;
    return ending;
  } finally {
    // A worktree with something in it stays for a person to read, until cleanup.
    if (!isAccepted && (await isUntouched(workshop, cell))) await workshop.git.discardCell(cell);
  }
}

async function workIn(workshop: Workshop, attempt: Attempt, cell: CellWorktree): Promise<Ending> {
  const { task, agent, adapter, session } = attempt;
  const prepared = await prepareWorktree(workshop, cell);
  if (prepared.failure !== null) return failed(prepared.failure);
  const policy = compilePolicy({
    config: workshop.config,
    role: 'worker',
    agentId: agent,
    worktree: cell.path,
    fileLocks: task.file_locks,
  });
  const outcome = await runAgent(workshop, {
    id: agent,
    session,
    role: 'worker',
    adapter: adapter.name,
    task,
    cell,
    policy,
    isReadOnly: false,
    prompt: { role: 'worker', task, policy },
  });
  return judgeWork(workshop, { attempt, cell, policy, outcome, prepared: prepared.paths });
}

async function judgeWork(
  workshop: Workshop,
  {
    attempt,
    cell,
    policy,
    outcome,
    prepared,
  }: {
    attempt: Attempt;
    cell: CellWorktree;
    policy: AgentPolicy;
    outcome: AgentOutcome;
    prepared: readonly string[];
  },
): Promise<Ending> {
  // What a failed or stopped agent left stays in its worktree, untouched, for a person to read.
  if (outcome.failure !== null) return { ...failed(outcome.failure), outcome };
  const author = `${attempt.agent} <${attempt.agent}@agents.invalid>`;
  const request = { cell, task: attempt.task, policy, adapter: attempt.adapter, author, prepared };
  const work = await collectWork(workshop, request).catch(brokenCell);
  switch (work.kind) {
    case 'broken':
      return { ...failed(work.failure), outcome };
    case 'nothing':
      return { ...failed(nothingDone(outcome, work.leftBehind)), outcome };
    case 'violation': {
      const details = work.violations.map(describeViolation);
      const message = `${details[0] ?? ''}${details.length > 1 ? `, and ${details.length - 1} more broken rules` : ''}`;
      const rules = [...new Set(work.violations.map(({ rule }) => rule))];
      return { ...failed({ kind: 'violation', message, details, retryable: true, rules }), outcome };
    }
    case 'work': {
      await workshop.git.importCell(cell, work.tip);
      const left =
        work.leftBehind.length > 0
          ? `Left behind, out of scope: ${work.leftBehind.slice(0, 20).join(', ')}`
          : '';
      return {
        failure: null,
        work: { tip: work.tip, cell, leftBehind: work.leftBehind },
        notes: [outcome.text.slice(0, 2_000), left].filter(Boolean).join('\n'),
        outcome,
      };
    }
  }
}

/** Most explanations open with the path already. */
function describeViolation({ rule, where, details }: Violation): string {
  return `[${rule}] ${details.startsWith(where) ? details : `${where}: ${details}`}`;
}

/** A worktree whose git folder or objects are of no use is its agent's failure, not the run's. */
function brokenCell(error: unknown): { readonly kind: 'broken'; readonly failure: Failure } {
  if (!(error instanceof FlameError) || !error.code.startsWith('cell-')) throw error;
  const { message, lines: details } = error;
  return { kind: 'broken', failure: { kind: 'violation', message, details, retryable: true } };
}

function nothingDone(outcome: AgentOutcome, leftBehind: readonly string[]): Failure {
  const details = [
    ...leftBehind.slice(0, 20).map((path) => `left out of scope: ${path}`),
    ...outcome.audit.top,
  ];
  return {
    kind: 'no-commits',
    message: 'It ended without a change inside its scope.',
    details,
    retryable: true,
  };
}

async function isUntouched(workshop: Workshop, cell: CellWorktree): Promise<boolean> {
  try {
    const isMoved = (await workshop.git.cellHead(cell)) !== cell.start;
    return !isMoved && (await workshop.git.cellLeftovers(cell)).length === 0;
  } catch (error) {
    if (error instanceof FlameError && error.code.startsWith('cell-')) return false;
    throw error;
  }
}

function failed(failure: Failure): Ending {
  return { failure, work: null, notes: '', outcome: { cost_usd: 0, tokens: 0 } };
}
