import type { Failure } from '../../domain/failure.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { agentIdentity, type ObjectId } from '../../domain/ids.ts';
import type { AgentPolicy } from '../../domain/policy.ts';
import type { CellWorktree, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitCommits, GitMerging } from '../../domain/ports/git-commits.ts';
import type { Session } from '../../domain/state/session.ts';
import { landsOn } from '../../domain/state/session-facts.ts';
import type { BuiltOn, Task } from '../../domain/state/task.ts';
import { shortId } from '../../util/short-names.ts';
import { runAgent } from '../agents/run-agent.ts';
import type { AgentJob } from '../agents/start-agent.ts';
import { issueAsScript } from '../issue-for-script.ts';
import { describeViolation, judgeCommits } from '../post-check/judge-commits.ts';
import { workerPolicy } from '../post-check/worker-policy.ts';
import { preparedIn, prepareWorktree, sparsePatterns, tearDown } from '../prepare-worktree.ts';
import { keepCommit, rescueName } from '../retention/rescue-refs.ts';
import { unfinished } from '../retention/rescue-worktree.ts';
import { tellOnce, type WithGit, type Workshop } from '../run-context.ts';
import { replayOwn } from '../stacking/rebase-stacked.ts';
import { baseTip, joinSubject, joinWork } from '../start-point.ts';
import type { AttemptSteps } from './attempts.ts';
import { lastWord } from './final-check.ts';
import { discardUntouched, failed, judgeWork } from './judge-work.ts';
import { type Attempt, type Ending, leaveCell } from './settle-attempt.ts';
import type { Begun } from './start-attempt.ts';
import { workerPrompt } from './worker-prompt.ts';

/** Start of a claimed task's work, and the steps that wait for their turn. */
interface Ground extends Begun, Pick<AttemptSteps, 'judge' | 'open'>, Pick<AgentJob, 'later'> {}

/** One agent in a worktree of its own, from its start to what the post-check says of its work. */
export async function performAttempt(
  workshop: Workshop,
  attempt: Attempt,
  { view, start, refusal: looked, open, judge, ...rest }: Ground,
): Promise<Ending> {
  const { task } = attempt;
  const script = issueAsScript(workshop, task);
  if (script !== null) return failed(script);
  if (start.kind === 'conflict') {
    const message = `The work of its dependencies conflicts: ${start.with} in ${start.paths.join(', ')}`;
    return failed({ kind: 'conflict', message, details: start.paths, retryable: false });
  }
  const refusal = await looked;
  if (refusal !== null) return failed(refusal);
  const from = await keptStart(workshop, view.session, task, start.commit);
  const subject = { session: attempt.session, task: task.id };
  // Locks of its dependencies are in it as well.
  const needed = view.tasks.filter(({ id }) => task.dependencies.includes(id));
  const sparse = await sparsePatterns(
    workshop,
    [task, ...needed].flatMap(({ file_locks: locks }) => locks),
  );
  const cell = await open(() =>
    workshop.git.addCellWorktree(attempt.path, from, subject, start.commit, sparse),
  );
  let [isAccepted, mustStay] = [false, false];
  try {
    const ending = await workIn(workshop, attempt, {
      cell,
      onLost: () => {
        mustStay = true;
      },
      view,
      builtOn: start.builtOn,
      open,
      judge,
      ...rest,
    });
    isAccepted = ending.work !== null;
    return ending;
  } finally {
    if (mustStay && !isAccepted) await leaveCell(workshop, cell);
    else if (!isAccepted) await discardUntouched(workshop, cell, task);
  }
}

interface WorkPlace extends Pick<Ground, 'judge' | 'open' | 'view' | 'later'> {
  readonly cell: CellWorktree;
  /** Its worktree is all that has some of its commits. */
  onLost(): void;
  readonly builtOn: BuiltOn;
}

async function workIn(
  workshop: Workshop,
  attempt: Attempt,
  { cell, view, builtOn, open, judge, later, onLost }: WorkPlace,
): Promise<Ending> {
  const { task, agent, adapter, session } = attempt;
  // A start on work that has not landed runs an agent's code during setup.
  const base = await baseTip(workshop, view.session);
  const prepared = await prepareWorktree(workshop, cell, {
    about: task.id,
    ...(cell.start === base ? {} : { basedOn: base }),
  });
  if (prepared.failure !== null) {
    // No agent was there: remains of the setup are no agent's work.
    await workshop.git.discardCell(cell);
    return failed(prepared.failure);
  }
  const policy = await workerPolicy(workshop, {
    agentId: agent,
    worktree: cell.path,
    fileLocks: task.file_locks,
    start: cell.base,
    prepared: await preparedIn(workshop, cell),
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
    inTurn: open,
    ...(later === undefined ? {} : { later }),
    lastWord: (words, signal) => lastWord(workshop, { attempt, cell, policy, signal }, words),
    prompt: await workerPrompt(workshop, view, task, {
      policy,
      base: cell.base,
      builtOn,
      isKept: cell.start !== cell.base,
    }),
  });
  return judge(async () => {
    const isRemoved = await workshop.git.restoreWorktree(cell);
    const lost = await keepLost(workshop, attempt, { cell, policy });
    if (lost.mustStay) onLost();
    const ended = isRemoved ? { ...outcome, failure: await worktreeRemoved(workshop, cell) } : outcome;
    const ending = await judgeWork(workshop, { attempt, cell, policy, outcome: ended });
    // Work that was not accepted stays as its agent left it.
    if (ending.work !== null && !lost.mustStay) await tearDown(workshop, cell, task.id);
    return withLost(ending, lost, cell);
  });
}

/** Failure for a removed worktree: uncommitted work is lost, so the work is not whole, even if its agent ended well. */
async function worktreeRemoved({ git }: WithGit<GitCells>, cell: CellWorktree): Promise<Failure> {
  const hasCommits = (await git.cellHead(cell)) !== cell.start;
  return {
    kind: 'agent-error',
    message: 'Its worktree was removed while it worked.',
    details: [hasCommits ? `What it had committed is in ${cell.path} again.` : 'It had committed nothing.'],
    retryable: true,
  };
}

/**
 * Finds where an attempt starts: at `base`, or with work of an earlier attempt that a person kept, rebased onto it.
 * Work that can't be rebased is reported and redone from the base; its branch still has it.
 */
async function keptStart(
  workshop: Pick<Workshop, 'events' | 'run'> & WithGit<GitCommits & GitMerging>,
  session: Session,
  task: Task,
  base: ObjectId,
): Promise<ObjectId> {
  const { kept } = task;
  if (kept === undefined) return base;
  const branch = landsOn(session);
  const startFromBase = (why: string): ObjectId => {
    const message = `${task.id} starts from ${branch}, not from the attempt that was kept: ${why}.`;
    tellOnce(workshop, message, { details: [`git flame show ${task.id}`] });
    return base;
  };
  if ((await workshop.git.resolveCommit(kept.commit)) === null)
    return startFromBase('its commit is not in this clone');
  // Its own start may have been removed from the base since: only its own changes are brought along then.
  const isOnBase = await workshop.git.isAncestor(kept.start, base);
  const moved = isOnBase
    ? await joinWork(workshop, base, kept.commit, `${joinSubject(task.id)} its earlier attempt on ${branch}`)
    : await replayOwn(workshop.git, kept, base);
  if (moved.kind !== 'conflict') return moved.commit;
  return startFromBase(`it conflicts with ${branch} in ${moved.paths.join(', ')}`);
}

interface Lost {
  /** Result for each commit the agent left again, in words. */
  readonly told: readonly string[];
  /** Some of them may not enter the repository: its worktree and quarantine are all that has them. */
  readonly mustStay: boolean;
}

/**
 * Keeps what an agent had committed and left again as rescues, by the rules of a rescue made unasked: what breaks
 * the rules of its task stays in the quarantine.
 */
async function keepLost(
  workshop: Workshop,
  { session, task, agent, began }: Attempt,
  { cell, policy }: { readonly cell: CellWorktree; readonly policy: AgentPolicy },
): Promise<Lost> {
  const told: string[] = [];
  let mustStay = false;
  for (const { commit, subject } of await lostOf(workshop, cell)) {
    const violations = await judgeCommits(workshop, {
      start: cell.base,
      tip: commit,
      quarantine: cell.quarantine,
      policy,
      ours: [],
      signer: { identity: agentIdentity(agent), began, now: workshop.now().getTime() },
    });
    const against = violations.filter(({ rule }) => !unfinished.some((one) => one === rule));
    const name = `${shortId(commit)} ${JSON.stringify(subject)}`;
    const [first] = against;
    if (first === undefined) {
      await workshop.git.importCell(cell, commit);
      const ref = await keepCommit(workshop, { session, task: task.id }, commit);
      told.push(`It committed ${name} and left it again: kept as rescue ${rescueName(ref)}`);
    } else {
      mustStay = true;
      told.push(
        `It committed ${name} and left it again: it stays in ${cell.path}, for ${describeViolation(first)}`,
      );
    }
  }
  for (const message of told)
    workshop.events.emit({ event: 'notice', level: 'warning', message: `${task.id}: ${message}` });
  return { told, mustStay };
}

async function lostOf(
  { git }: Pick<Workshop, 'git'>,
  cell: CellWorktree,
): ReturnType<Workshop['git']['cellLost']> {
  try {
    return await git.cellLost(cell);
  } catch (error) {
    // Unreadable commits are reported with the rest of its work.
    if (error instanceof FlameError && error.code.startsWith('cell-')) return [];
    throw error;
  }
}

/** Adds the results for those commits to an ending. */
function withLost(ending: Ending, { told, mustStay }: Lost, { path }: CellWorktree): Ending {
  if (told.length === 0) return ending;
  const { failure, work } = ending;
  return {
    ...ending,
    failure: failure === null ? null : { ...failure, details: [...told, ...failure.details] },
    work: work === null || !mustStay ? work : { ...work, leftBehind: [...work.leftBehind, path] },
    notes: [ending.notes, ...told].filter(Boolean).join('\n'),
  };
}
