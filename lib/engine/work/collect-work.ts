import { posix } from 'node:path';
import type { AgentPolicy, Violation } from '../../domain/agent-policy.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree, GitCells, IgnoredWork, Leftover } from '../../domain/ports/git-cells.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { isPathLockedByTask } from '../../policy/judge-path.ts';
import { renderFileName } from '../../util/file-names.ts';
import { findViolationsInCommits } from '../post-check/judge-commits.ts';
import { listIgnoredWork } from '../retention/rescue-worktree.ts';
import type { AdapterFacts, RunContext, WithGit } from '../run-context.ts';

/** `leftBehind`: what it left and is not taken in, to be shown. */
export type CollectedWork =
  | {
      readonly kind: 'work';
      readonly tip: ObjectId;
      readonly leftBehind: readonly string[];
      readonly hidden: readonly IgnoredWork[];
    }
  /** `commits`: what there is of them changes nothing, each by itself or together. */
  | {
      readonly kind: 'nothing';
      readonly leftBehind: readonly string[];
      readonly hidden: readonly IgnoredWork[];
      readonly commits: 'none' | 'empty' | 'taken back';
    }
  | { readonly kind: 'violation'; readonly tip: ObjectId; readonly violations: readonly Violation[] };

export interface CollectRequest {
  readonly cell: CellWorktree;
  readonly task: Task;
  readonly policy: AgentPolicy;
  readonly adapter: AdapterFacts;
  /** `Name <email>`. */
  readonly author: string;
  /** When the attempt began, in milliseconds; null: not known. */
  readonly began: number | null;
}

/**
 * Collects the work in an agent's worktree, judged on git objects still in quarantine. Leftovers in scope are committed
 * for it; an adapter that never commits hands in everything it left.
 */
export async function collectWork(
  context: Pick<RunContext, 'git' | 'now' | 'signal'>,
  request: CollectRequest,
): Promise<CollectedWork> {
  const { cell } = request;
  const { take, leave: left } = await sortLeftovers(context, request);
  const leave = left.map(showLeft);
  if (take.length > 0)
    await context.git.commitLeftovers(cell, take, {
      message: leftoverMessage(request, take.length),
      author: request.author,
      isOver: true,
    });
  const tip = await context.git.cellHead(cell);
  const rest = { leftBehind: leave, hidden: await listIgnoredWork(context, cell, request.task.file_locks) };
  if (tip === cell.start) return { kind: 'nothing', ...rest, commits: 'none' };
  const violations = await findViolationsInCell(context, request, { tip, isOurs: false });
  if (violations.length > 0) return { kind: 'violation', tip, violations };
  const commits = await changeNothing(context, cell, tip);
  if (commits !== null) return { kind: 'nothing', ...rest, commits };
  return { kind: 'work', tip, ...rest };
}

/** Runs the post-check of a commit in an agent's quarantine; `isOurs`: one that was made of its leftovers. */
export async function findViolationsInCell(
  context: Pick<RunContext, 'git' | 'now' | 'signal'>,
  { cell, policy, author, began }: CollectRequest,
  { tip, isOurs }: { readonly tip: ObjectId; readonly isOurs: boolean },
): Promise<readonly Violation[]> {
  const made = await context.git.readCommitMadeForAgent(cell);
  const given = await context.git.commitsBetween(cell.base, cell.start);
  return findViolationsInCommits(context, {
    start: cell.base,
    quarantine: cell.quarantine,
    tip,
    policy,
    ours: [...given.map(({ oid }) => oid), ...(made === null ? [] : [made]), ...(isOurs ? [tip] : [])],
    signer: { identity: author, began, now: context.now().getTime() },
  });
}

/** Finds how commits cancel out that end where they began; null: they change something. */
async function changeNothing(
  context: WithGit<GitCommits>,
  cell: CellWorktree,
  tip: ObjectId,
): Promise<'empty' | 'taken back' | null> {
  const before = await context.git.readCommit(cell.base);
  const after = await context.git.readCommit(tip, cell.quarantine);
  if (before.tree !== after.tree) return null;
  const commits = await context.git.commitsBetween(cell.base, tip, cell.quarantine);
  return commits.some(({ tree }) => tree !== before.tree) ? 'taken back' : 'empty';
}

/**
 * Divides an agent's uncommitted files into its result and those left behind: files outside its scope, and a link that
 * leads out of it, unless it commits that itself.
 */
export async function sortLeftovers(
  context: WithGit<GitCells>,
  { cell, policy, adapter }: CollectRequest,
): Promise<{ take: string[]; leave: Leftover[] }> {
  const take: string[] = [];
  const leave: Leftover[] = [];
  for (const leftover of await context.git.cellLeftovers(cell)) {
    const { path, isTracked } = leftover;
    const isResult =
      adapter.commits === 'orchestrator' ||
      ((isTracked || isPathLockedByTask(policy, path)) && !leadsAway(policy, leftover));
    if (isResult) take.push(path);
    else leave.push(leftover);
  }
  return { take, leave };
}

function leadsAway(policy: AgentPolicy, { path, target }: Leftover): boolean {
  if (target === null) return false;
  const end = posix.join(posix.dirname(path), target);
  return target.startsWith('/') || /^\.\.(?:\/|$)/.test(end) || !isPathLockedByTask(policy, end.replace(/\/$/, ''));
}

function showLeft({ path, target }: Leftover): string {
  return target === null ? renderFileName(path) : `${renderFileName(path)} (a link to ${renderFileName(target)})`;
}

/** A message that fits the configured commit format where one can be made from its example. */
function leftoverMessage({ task, policy, author }: CollectRequest, count: number): string {
  const body = `${count} uncommitted ${count === 1 ? 'path' : 'paths'} of ${author.split(' <')[0] ?? author}, committed for it.\n\nTask: ${task.id}\n`;
  const title = task.title;
  const candidates = [
    title,
    `feat(${task.id}): ${title}`,
    `chore(${task.id}): ${title}`,
    `feat: ${title}`,
    `chore: ${title}`,
    policy.commit_example,
  ];
  const pattern = policy.commit_pattern === '' ? null : new RegExp(policy.commit_pattern, 'u');
  const subject = candidates.find((candidate) => pattern === null || pattern.test(candidate)) ?? title;
  return `${subject}\n\n${body}`;
}
