import { basename } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { agentIdentity, type ObjectId, parseAgentId, type RefName } from '../../domain/ids.ts';
import type { CellInfo, CellWorktree, GitCells, IgnoredWork, WorkScope } from '../../domain/ports/git-cells.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { RuleName } from '../../policy/policy-rules.ts';
import { renderFileName } from '../../util/file-names.ts';
import { formatCount } from '../../util/format-figures.ts';
import { globMatchesPath, hasWildcard } from '../../util/path-globs.ts';
import { expandLockBraces } from '../../util/path-patterns.ts';
import { describeViolation, findViolationsInCommits } from '../post-check/judge-commits.ts';
import { compileWorkerPolicy } from '../post-check/worker-policy.ts';
import { listPreparedPathsWithOrigin } from '../prepare-worktree.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';
import { keepCommitAsRescue } from './rescue-refs.ts';

export type WorktreeRemovalOutcome =
  /** Nothing was in it that isn't elsewhere. */
  | { readonly kind: 'removed' }
  | { readonly kind: 'rescued'; readonly ref: RefName }
  | { readonly kind: 'kept'; readonly reasons: readonly string[] };

interface RemovalOptions {
  /** For the commit's message. */
  readonly why: string;
  /** A person asked for it: then work against the rules is rescued too, but never a secret. */
  readonly isRequested: boolean;
}

interface KnownRemoval extends RemovalOptions {
  /** null where it isn't known any more. */
  readonly task: Task | null;
}

/**
 * Removes an agent's worktree, what is in it kept as a rescue commit first. What breaks the rules of its task
 * does not enter the repository unasked, and a secret never does: then the worktree stays. Trouble of any kind
 * keeps it too.
 */
export async function rescueAndRemoveWorktree(
  context: RunContext,
  cell: CellInfo,
  options: RemovalOptions,
): Promise<WorktreeRemovalOutcome> {
  try {
    const task = await findTaskOfWorktree(context, cell);
    const ref = await keepPersons(context, cell);
    const outcome = await clear(context, cell, { ...options, task });
    return outcome.kind === 'removed' && ref !== null ? { kind: 'rescued', ref } : outcome;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    return { kind: 'kept', reasons: [error.message, ...error.lines] };
  }
}

async function clear(context: RunContext, cell: CellInfo, options: KnownRemoval): Promise<WorktreeRemovalOutcome> {
  if (cell.subject !== null && !(await isWorktreeSavedElsewhere(context, cell, options.task)))
    return rescue(context, cell, options);
  await context.git.discardCell(cell);
  return { kind: 'removed' };
}

/** Keeps commits a person made in a worktree that was left to them, and that no branch has. */
async function keepPersons(context: RunContext, cell: CellInfo): Promise<RefName | null> {
  const own = await context.git.personCommit(cell);
  return own === null || cell.subject === null ? null : keepCommitAsRescue(context, cell.subject, own);
}

/** Whether a worktree holds nothing that would be lost with it: untouched, or exactly what was accepted. */
export async function isWorktreeSavedElsewhere(
  context: WithGit<GitCells>,
  cell: CellWorktree,
  task: Task | null,
): Promise<boolean> {
  const head = await context.git.cellHead(cell);
  const isKept = task?.tries?.some(({ work }) => work?.commit === head) === true;
  if (head !== cell.start && head !== task?.commit && !isKept) return false;
  if ((await context.git.personCommit(cell)) !== null) return false;
  if ((await context.git.cellLeftovers(cell)).length > 0) return false;
  return !(await listIgnoredWork(context, cell, task?.file_locks ?? [])).some(({ isKept }) => isKept);
}

/** The task an agent's worktree is for; null where it isn't known any more. */
export async function findTaskOfWorktree(
  context: Pick<RunContext, 'store'>,
  { subject }: CellInfo,
): Promise<Task | null> {
  if (subject === null) return null;
  const tasks = (await context.store.snapshot()).tasksOf(subject.session);
  return tasks.find(({ id }) => id === subject.task) ?? null;
}

async function rescue(
  context: RunContext,
  cell: CellInfo,
  { task, why, isRequested }: KnownRemoval,
): Promise<WorktreeRemovalOutcome> {
  const agent = basename(cell.path);
  const message = rescueMessage(cell, { agent, why, at: timestamp(context) });
  const hidden = await listIgnoredWork(context, cell, task?.file_locks ?? []).catch(noneWhereBroken);
  const commit = await context.git.rescueCell(cell, {
    also: hidden.filter(({ isKept }) => isKept).flatMap(({ files }) => files),
    message,
    author: agentIdentity(agent),
  });
  if (commit === null || cell.subject === null) {
    await context.git.discardCell(cell);
    return { kind: 'removed' };
  }
  const reasons = await objections(context, cell, { commit, task, isRequested });
  if (reasons.length > 0) return { kind: 'kept', reasons };
  await context.git.importCell(cell, commit);
  const ref = await keepCommitAsRescue(context, cell.subject, commit);
  await context.git.discardCell(cell);
  return { kind: 'rescued', ref };
}

/** A rescue of a broken worktree holds what it can. */
function noneWhereBroken(error: unknown): readonly IgnoredWork[] {
  if (error instanceof FlameError && /^cell-(?:head|objects)-/.test(error.code)) return [];
  throw error;
}

// Unfinished work, such as without tests, may be kept: only rules about paths and contents must hold.
export const rulesOfUnfinishedWork: readonly RuleName[] = ['tests-missing', 'commit-message', 'file-name', 'history'];

async function objections(
  context: RunContext,
  cell: CellInfo,
  { commit, task, isRequested }: Omit<KnownRemoval, 'why'> & { readonly commit: ObjectId },
): Promise<readonly string[]> {
  const agent = basename(cell.path);
  const made = await context.git.readCommitMadeForAgent(cell);
  // A merger's worktree holds what it was to merge: that was judged when it was handed in.
  const accepted = task?.commit ? await context.git.commitsBetween(cell.start, task.commit) : [];
  const policy = await compileWorkerPolicy(context, {
    agentId: parseAgentId(agent),
    worktree: cell.path,
    start: cell.start,
    fileLocks: task?.file_locks ?? [],
    prepared: await listPreparedPathsWithOrigin(context, cell),
  });
  const violations = await findViolationsInCommits(context, {
    start: cell.start,
    tip: commit,
    policy,
    quarantine: cell.quarantine,
    ours: [commit, ...(made === null ? [] : [made]), ...accepted.map(({ oid }) => oid)],
    signer: { identity: agentIdentity(agent), began: null, now: context.now().getTime() },
  });
  return violations
    .filter(({ rule }) => (isRequested ? rule === 'secret' : !rulesOfUnfinishedWork.some((known) => known === rule)))
    .map(describeViolation);
}

function rescueMessage(
  cell: CellInfo,
  { agent, why, at }: { readonly agent: string; readonly why: string; readonly at: string },
): string {
  const { session, task } = cell.subject ?? { session: '', task: '' };
  const trailers = [
    `Task: ${task}`,
    `Session: ${session}`,
    `Agent: ${agent}`,
    `Worktree: ${cell.path}`,
    `Start: ${cell.start}`,
    `Rescued-At: ${at}`,
  ];
  return `rescue: ${task} by ${agent}\n\n${why}\n\n${trailers.join('\n')}\n`;
}

/** Lists the work inside a task's locks that git ignores: no commit would hold it, and no other message reports it. */
export function listIgnoredWork(
  { git }: WithGit<GitCells>,
  cell: CellWorktree,
  locks: readonly string[],
): Promise<readonly IgnoredWork[]> {
  return git.listIgnoredAgentWork(cell, scopeOf(locks));
}

function scopeOf(locks: readonly string[]): WorkScope {
  const starts = locks.flatMap(expandLockBraces).map((lock) => {
    const segments = lock.split('/').filter((segment) => segment !== '' && segment !== '.');
    const end = segments.findIndex(hasWildcard);
    return (end < 0 ? segments : segments.slice(0, end)).join('/');
  });
  return {
    covers: (path) => locks.some((lock) => globMatchesPath(lock, path)),
    names: (path) => starts.some((start) => start === path || start.startsWith(`${path}/`)),
  };
}

/** `dist/bundle.js, by .gitignore:1 (dist/)`. */
export function describeIgnoredWork({ entry, files, rule }: IgnoredWork): string {
  const [first = entry, ...others] = files.map(renderFileName);
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'more file')}`;
  return `${first}${more}${rule === null ? '' : `, by ${rule}`}`;
}

/** Why no commit holds it, as a clause. */
export function whyWorkUncommitted(one: IgnoredWork): string {
  const what = describeIgnoredWork(one);
  return one.rule === null ? `${what} was copied into its worktree and is in no commit` : `git ignores ${what}`;
}
