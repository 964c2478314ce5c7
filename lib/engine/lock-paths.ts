import { renameLocksLikeFiles } from '../core/task/cell-changes-and-renames.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { GitCommits } from '../domain/ports/git-commits.ts';
import type { GitDiffs, GitFiles, SymlinkAndSubmodulePaths } from '../domain/ports/git-contents.ts';
import type { Task } from '../domain/state/task-schema.ts';
import { renderFileName } from '../util/file-names.ts';
import { globMatchesPath, hasWildcard } from '../util/path-globs.ts';
import { expandLockBraces } from '../util/path-patterns.ts';
import { isJoinedMachine } from './machines/held-elsewhere.ts';
import { decideAndRecord, type RecordContext, type SessionView } from './record-changes.ts';
import { inform, type WithGit } from './run-context.ts';

/** Facts about a commit that file locks are checked against: its ways to paths that are not its own. */
export interface LockFacts {
  readonly linkedPaths: SymlinkAndSubmodulePaths;
  /** All that is in the commit; empty where it has no submodule. */
  readonly paths: readonly string[];
}

type LockFactsFiles = Pick<GitFiles, 'linkedPaths' | 'listFiles'>;
/** Ports for reading the ground of a plan. */
export type LockFactsReader = WithGit<LockFactsFiles & Pick<GitCommits, 'resolveCommit'>>;

/** As readLockFacts; empty for a commit not in this clone, as in a shallow one: then only the work is checked. */
export async function readPlanLockFacts(reader: LockFactsReader, commit: ObjectId): Promise<LockFacts> {
  const isHere = (await reader.git.resolveCommit(commit)) !== null;
  return isHere ? readLockFacts(reader, commit) : { linkedPaths: new Map(), paths: [] };
}

export async function readLockFacts({ git }: WithGit<LockFactsFiles>, commit: ObjectId): Promise<LockFacts> {
  const linkedPaths = await git.linkedPaths(commit);
  const hasSubmodule = [...linkedPaths.values()].includes('submodule');
  return { linkedPaths, paths: hasSubmodule ? await git.listFiles(commit, Number.POSITIVE_INFINITY) : [] };
}

/**
 * Why no agent could write what a lock names, as the end of a sentence about it; null: nothing against it. A lock that
 * is exactly a link names the link itself; one with wildcards that covers other files too may well be about those.
 */
export function whyLockLeadsElsewhere(lockFacts: LockFacts, lock: string): string | null {
  if (lockFacts.linkedPaths.size === 0) return null;
  for (const part of expandLockBraces(lock)) {
    const found = detourOf(lockFacts.linkedPaths, part) ?? onlySubmodule(lockFacts, part);
    if (found !== null) return found;
  }
  return null;
}

function detourOf(detours: SymlinkAndSubmodulePaths, part: string): string | null {
  const names = part.split('/').filter((name) => name !== '' && name !== '.');
  const isFolder = part.endsWith('/');
  for (let count = 1; count <= names.length; count += 1) {
    if (hasWildcard(names[count - 1] ?? '')) return null;
    const path = names.slice(0, count).join('/');
    const kind = detours.get(path);
    if (kind === 'submodule') return `is in the submodule ${path}, and no agent may change a submodule`;
    if (kind !== undefined && (isFolder || count < names.length))
      return `goes through the symbolic link ${path}: name the target of the link`;
  }
  return null;
}

function onlySubmodule({ linkedPaths, paths }: LockFacts, part: string): string | null {
  if (!hasWildcard(part)) return null;
  const covered = paths.filter((path) => globMatchesPath(part, path));
  const [first] = covered;
  if (first === undefined || covered.some((path) => linkedPaths.get(path) !== 'submodule')) return null;
  return `covers only the submodule ${first}, and no agent may change a submodule: name the files beside it`;
}

const mostNamed = 5;

/**
 * Has the locks of a task that waits follow the renames between the commit they were given for and the one its work
 * starts from, so that an agent may change what a colleague moved. true: they changed, and were recorded. Where machines
 * share the session, only the one that leads changes a task.
 */
export async function recordLocksAfterRenames(
  context: RecordContext & WithGit<GitCommits & GitDiffs>,
  { session }: Pick<SessionView, 'session'>,
  task: Task,
  start: ObjectId,
): Promise<boolean> {
  if (isJoinedMachine(context)) return false;
  const renames = await renamesBetween(context, task.locks_at ?? session.base_commit, start);
  const { locks, followed } = renameLocksLikeFiles(task.file_locks, renames);
  if (followed.length === 0) return false;
  const done = await decideAndRecord(context, session.id, ({ tasks }) => {
    const now = tasks.find(({ id }) => id === task.id);
    if (now?.status !== 'pending' || now.rev !== task.rev) return null;
    const next = { ...now, file_locks: [...locks], locks_at: start };
    const subject = `${now.id}: file_locks follow what the base renamed`;
    return { steps: [{ task: next, subject, transition: 'pending -> pending' }] };
  });
  if (done.kind !== 'done') return true;
  const named = followed.slice(0, mostNamed).map(({ from, to }) => `${renderFileName(from)} to ${renderFileName(to)}`);
  const more = followed.length > mostNamed ? ` and ${followed.length - mostNamed} more` : '';
  inform(context, `Files that ${task.id} locks were renamed, and its locks follow: ${named.join(', ')}${more}.`);
  return true;
}

async function renamesBetween(
  { git }: WithGit<GitCommits & GitDiffs>,
  from: ObjectId,
  to: ObjectId,
): ReturnType<GitDiffs['renames']> {
  if (from === to || (await git.resolveCommit(from)) === null) return [];
  const changes = await git.treeChanges(from, to);
  return changes.some(({ blob }) => blob === null) ? git.renames(from, to) : [];
}
