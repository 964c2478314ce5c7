import { claimTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { BuiltOn, Task } from '../../domain/state/task.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';
import { outOfReach } from '../agents/out-of-reach.ts';
import { runAgent } from '../agents/run-agent.ts';
import { toldTo } from '../blackboard/worker-notes.ts';
import { isInterrupted } from '../interrupted.ts';
import { issueAsScript } from '../issue-for-script.ts';
import { prepareWorktree } from '../prepare-worktree.ts';
import { type Recorder, record, type SessionView, viewSession } from '../record.ts';
import { groundOf, holdApart } from '../stack/held-apart.ts';
import { baseTip, type StartPoint, startPoint } from '../start-point.ts';
import { type AdapterFacts, timestamp, type Workshop, worktreePath } from '../workshop.ts';
import type { AttemptSteps } from './attempts.ts';
import { earlierChange } from './earlier-change.ts';
import { discardUntouched, failed, judgeWork } from './judge-work.ts';
import { keptStart } from './kept-work.ts';
import { type Attempt, type Ending, releaseAttempt, settleAttempt } from './settle-attempt.ts';

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
  workshop: Workshop,
  session: SessionId,
  { task, adapter, steps }: AttemptStart,
): Promise<void> {
  const agent = workshop.newAgentId('worker');
  const attempt: Attempt = {
    session,
    task,
    agent,
    adapter,
    began: workshop.now().getTime(),
    path: worktreePath(workshop, agent),
  };
  const { session: now, tasks } = await viewSession(workshop, session);
  const start = await startPoint(workshop, now, task, tasks);
  const ground = groundOf(workshop, task, tasks);
  if (start.kind === 'conflict' && !start.isDependency) return holdApart(workshop, { task, ground }, start);
  const view = await claim(workshop, attempt, { start, ground });
  if (view === null) return;
  let ending: Ending;
  try {
    ending = await perform(workshop, attempt, { view, start, steps });
  } catch (error) {
    // By its claim the next start finds what a finished agent left, and takes it in: it is not paid for twice.
    if (!(isInterrupted(error) && (await hasFinished(workshop, attempt))))
      await releaseAttempt(workshop, attempt, error);
    throw error;
  }
  // What a finished agent did counts as it was judged before the stop; no other agent was given the time.
  if (workshop.signal.aborted && !ending.isJudged) await releaseAttempt(workshop, attempt, null);
  else await settleAttempt(workshop, attempt, ending, steps.onRecorded);
}

async function hasFinished({ git }: Pick<Workshop, 'git'>, { path }: Attempt): Promise<boolean> {
  return (await git.cells()).some((cell) => cell.path === path && cell.ended !== null);
}

/** null: it was claimed or changed by another process at this moment, or what it would start from was. */
async function claim(
  workshop: Recorder & Pick<Workshop, 'place'>,
  { session, task, agent, path }: Attempt,
  { start, ground }: { readonly start: StartPoint; readonly ground: string },
): Promise<SessionView | null> {
  const claimed = await record(workshop, session, (view) => {
    // Changed by another clone in this moment, it is only received.
    const now = view.tasks.find(({ id }) => id === task.id);
    if (now === undefined) return null;
    if (now.status !== 'pending' || now.rev !== task.rev) return null;
    if (groundOf(workshop, now, view.tasks) !== ground) return null;
    return {
      steps: [
        claimTask(now, {
          agentId: agent,
          worktree: path,
          at: timestamp(workshop),
          claimedBy: workshop.gates.person,
          host: workshop.place,
          ...(start.kind === 'start' ? { builtOn: start.builtOn } : {}),
        }),
      ],
    };
  });
  return claimed.kind === 'done' ? claimed.view : null;
}

interface Ground {
  readonly view: SessionView;
  readonly start: StartPoint;
}

async function perform(
  workshop: Workshop,
  attempt: Attempt,
  { view, start, steps }: Pick<AttemptStart, 'steps'> & Ground,
): Promise<Ending> {
  const { task } = attempt;
  const script = issueAsScript(workshop, task);
  if (script !== null) return failed(script);
  if (start.kind === 'conflict') {
    const message = `The work of its dependencies conflicts: ${start.with} in ${start.paths.join(', ')}`;
    return failed({ kind: 'conflict', message, details: start.paths, retryable: false });
  }
  const refusal = await outOfReach(workshop, task, start.commit);
  if (refusal !== null) return failed(refusal);
  const from = await keptStart(workshop, view.session, task, start.commit);
  const subject = { session: attempt.session, task: task.id };
  const cell = await workshop.git.addCellWorktree(attempt.path, from, subject, start.commit);
  let isAccepted = false;
  try {
    const ending = await workIn(workshop, attempt, { cell, view, builtOn: start.builtOn, steps });
    isAccepted = ending.work !== null;
    return ending;
  } finally {
    if (!isAccepted) await discardUntouched(workshop, cell);
  }
}

interface WorkPlace extends Pick<AttemptStart, 'steps'> {
  readonly cell: CellWorktree;
  readonly view: SessionView;
  readonly builtOn: BuiltOn;
}

async function workIn(
  workshop: Workshop,
  attempt: Attempt,
  { cell, view, builtOn, steps }: WorkPlace,
): Promise<Ending> {
  const { task, agent, adapter, session } = attempt;
  // What starts from work that has not landed runs, as it is set up, what an agent wrote.
  const base = await baseTip(workshop, view.session);
  const prepared = await prepareWorktree(workshop, cell, cell.start === base ? undefined : base);
  if (prepared.failure !== null) {
    // No agent was there: what the setup left is nobody's work.
    await workshop.git.discardCell(cell);
    return failed(prepared.failure);
  }
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
    prompt: {
      ...{ role: 'worker', task, policy },
      earlier: await earlierChange(workshop, task, cell.base),
      isKept: cell.start !== cell.base,
      left: toldTo(task, view),
      below: builtOn.flatMap((one) => view.tasks.find(({ id }) => id === one.task) ?? []),
    },
  });
  steps.onAgentOver();
  return judgeWork(workshop, { attempt, cell, policy, outcome, prepared: prepared.paths });
}
