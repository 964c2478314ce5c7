import { parseMergerAnswer } from '../../domain/config/agent-answers.ts';
import { findRoleAdapter } from '../../domain/config/role-adapter-and-model.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type AgentId, agentIdentity, type ObjectId } from '../../domain/ids.ts';
import type { AgentOutcome } from '../../domain/ports/agent-port.ts';
import type { CellSnapshot, CellWorktree, GitCells } from '../../domain/ports/git-cells.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { checkBranch } from '../../policy/check-branch.ts';
import { globMatchesPath } from '../../util/path-globs.ts';
import { runAgent } from '../agents/run-agent.ts';
import { interruptedError } from '../graceful-stop.ts';
import { compileWorkerPolicy } from '../post-check/worker-policy.ts';
import { viewSession } from '../record-changes.ts';
import { rescueAndRemoveWorktree } from '../retention/rescue-worktree.ts';
import { agentWorktreePath, type RunContext, type WithGit } from '../run-context.ts';

/** A prompt with every task of a large group would say nothing. */
const mostOthers = 8;

interface Conflict {
  readonly session: Session;
  readonly tip: ObjectId;
  readonly task: Task;
  readonly paths: readonly string[];
  readonly messages: readonly string[];
}

type Solution =
  | { readonly kind: 'solved'; readonly tree: ObjectId }
  | { readonly kind: 'unsolved'; readonly notes: string };

/**
 * Lets a merger agent solve a conflict in a worktree of its own, under its watcher. Unsolved is an answer: a
 * conflict is never guessed away, and without a merger it's simply reported.
 */
export async function solveConflict(context: RunContext, conflict: Conflict): Promise<Solution> {
  const adapter = findRoleAdapter(context.config, 'merger');
  // For lines that differ git repeats the path alone.
  const further = conflict.messages.filter((message) => !/^CONFLICT \(content\): Merge conflict in /.test(message));
  const paths = conflict.paths.join(', ');
  const report = [`It conflicts in: ${paths}${further.length === 0 ? '' : '.'}`, ...further].join('\n');
  if (adapter === 'none') return { kind: 'unsolved', notes: report };
  const agent = context.newAgentId('merger');
  const subject = { session: conflict.session.id, task: conflict.task.id };
  const cell = await context.git.addCellWorktree(agentWorktreePath(context, agent), conflict.tip, subject);
  let isKept = false;
  try {
    const solution = await letSolve(context, conflict, { cell, agent, adapter });
    if (solution.kind === 'unsolved') return { kind: 'unsolved', notes: `${solution.notes}\n${report}` };
    await context.git.acceptCell(cell, solution.commit);
    isKept = true;
    return { kind: 'solved', tree: (await context.git.readCommit(solution.commit)).tree };
  } finally {
    const why = `${agent} did not solve the conflict.`;
    if (!isKept)
      await rescueAndRemoveWorktree(
        context,
        { ...cell, owner: 'own', subject, ended: null },
        { why, isRequested: false },
      );
  }
}

interface Place {
  readonly cell: CellWorktree;
  readonly agent: AgentId;
  readonly adapter: string;
}

type Attempt =
  | { readonly kind: 'solved'; readonly commit: ObjectId }
  | { readonly kind: 'unsolved'; readonly notes: string };

async function letSolve(context: RunContext, conflict: Conflict, { cell, agent, adapter }: Place): Promise<Attempt> {
  const { task, session } = conflict;
  if (task.commit === null) return { kind: 'unsolved', notes: 'It has no commit.' };
  const paths = await context.git.startMergeIn(cell, task.commit);
  const before = await context.git.snapshotCell(cell);
  // With what the merge brings by itself, which its commit holds as well.
  const brought = await changedByTask(context, task);
  const locks = [...new Set([...task.file_locks, ...paths, ...brought])];
  const rules = await compileWorkerPolicy(context, {
    role: 'merger',
    agentId: agent,
    worktree: cell.path,
    fileLocks: locks,
    start: cell.start,
  });
  // A merger's scope is the conflict, also where that of a task isn't enforced.
  const policy = { ...rules, file_locks: locks };
  const outcome = await runAgent(context, {
    id: agent,
    session: session.id,
    role: 'merger',
    adapter,
    task,
    cell,
    policy,
    isReadOnly: false,
    prompt: {
      role: 'merger',
      group: task.cohesion_group,
      tasks: [task],
      others: await otherSide(context, conflict),
      paths,
      messages: conflict.messages,
      policy,
    },
  });
  // A stop is no answer: the conflict is as open as before.
  if (context.signal.aborted) throw interruptedError();
  const refusal = refusalOf(conflict, outcome);
  if (refusal !== null) return { kind: 'unsolved', notes: `${agent} ${refusal}` };
  try {
    return await checkSolution(context, conflict, { cell, agent, paths, before, policy });
  } catch (error) {
    // Its remains can't be judged: that is no error of the run.
    if (!(error instanceof FlameError) || !error.code.startsWith('cell-')) throw error;
    return { kind: 'unsolved', notes: `The work of ${agent} can't be judged: ${error.message}` };
  }
}

/** The tasks whose work is in the tip already and may have written what conflicts. */
async function otherSide(
  context: Pick<RunContext, 'config' | 'git' | 'store'>,
  { session, tip, task, paths }: Conflict,
): Promise<readonly Task[]> {
  const { tasks } = await viewSession(context, session.id);
  const near = tasks.filter(
    ({ id, file_locks }) =>
      id !== task.id && paths.some((path) => file_locks.some((lock) => globMatchesPath(lock, path))),
  );
  const found: Task[] = [];
  for (const other of near)
    if (other.commit !== null && (await context.git.isAncestor(other.commit, tip))) found.push(other);
  return found.slice(-mostOthers);
}

/**
 * Why an agent's end is no solution; null where its commit decides. One that says nothing is believed where its
 * work can be seen: conflicts in text leave markers. A person reads the changeset all the same.
 */
function refusalOf({ messages }: Conflict, { failure, answer }: AgentOutcome): string | null {
  if (failure !== null && failure.kind !== 'malformed-answer') return `failed: ${failure.message}`;
  const said = parseMergerAnswer(answer);
  if (said.kind === 'ok') return said.value.status === 'unresolvable' ? `gave up: ${said.value.notes}` : null;
  const leavesMarkers = (message: string): boolean => /CONFLICT \((?:content|add\/add)\)/.test(message);
  const isVisible = messages.filter((message) => message.includes('CONFLICT')).every(leavesMarkers);
  return isVisible ? null : `did not report whether the conflict is solved: ${said.problems[0] ?? ''}`;
}

interface Checked {
  readonly cell: CellWorktree;
  readonly agent: AgentId;
  readonly paths: readonly string[];
  /** The cell with the merge begun. */
  readonly before: CellSnapshot;
  readonly policy: Parameters<typeof checkBranch>[0]['policy'];
}

/** Commits and judges its result: no marker may be left, and nothing outside both sides' scope changed. */
async function checkSolution(
  context: WithGit<GitCells & GitDiffs & GitFiles>,
  { task }: Conflict,
  { cell, agent, paths, before, policy }: Checked,
): Promise<Attempt> {
  const { git } = context;
  const untouched = await findUntouched(context, { cell, paths, before });
  if (untouched.length > 0)
    return { kind: 'unsolved', notes: `${agent} neither changed nor committed ${untouched.join(', ')}.` };
  const leftovers = await git.cellLeftovers(cell);
  const message = `Merge ${task.id}, conflicts solved by ${agent}\n`;
  if (leftovers.length > 0)
    await git.commitLeftovers(
      cell,
      leftovers.map(({ path }) => path),
      { message, author: agentIdentity(agent) },
    );
  const commit = await git.cellHead(cell);
  if (commit === cell.start) return { kind: 'unsolved', notes: `${agent} changed nothing.` };
  const texts = await git.readTexts(commit, paths, cell.quarantine);
  const marked = paths.filter((path) => /^(?:<{7}|>{7}) /m.test(texts.get(path) ?? ''));
  if (marked.length > 0) return { kind: 'unsolved', notes: `${agent} left conflict markers in ${marked.join(', ')}.` };
  const files = await git.changedFiles(cell.start, commit, cell.quarantine);
  const violations = checkBranch({
    policy,
    files,
    // Only the tree of a merger's commits is taken over.
    commits: [],
    signer: null,
    start: cell.start,
    readText: (path) => texts.get(path) ?? null,
  });
  const [first] = violations;
  if (first !== undefined)
    return { kind: 'unsolved', notes: `${agent} broke a rule: ${first.where}: ${first.details}` };
  return { kind: 'solved', commit };
}

/**
 * Conflicted files that are as the merge left them, where nothing was committed either. Not all conflicts leave
 * markers: a file one side deleted stands there as the other side has it.
 */
async function findUntouched(
  { git }: WithGit<GitCells>,
  { cell, paths, before }: Pick<Checked, 'cell' | 'paths' | 'before'>,
): Promise<readonly string[]> {
  if ((await git.cellHead(cell)) !== cell.start) return [];
  const after = await git.snapshotCell(cell);
  return paths.filter((path) => {
    const key = Buffer.from(path).toString('latin1');
    return before.has(key) && before.get(key) === after.get(key);
  });
}

async function changedByTask(context: WithGit<GitDiffs>, task: Task): Promise<readonly string[]> {
  if (task.start_commit === null || task.commit === null) return [];
  const files = await context.git.changedFiles(task.start_commit, task.commit);
  return files.map(({ path }) => path);
}
