import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asDiskFullError, indexLockedError } from '../../domain/disk-errors.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { splitFileNames } from '../../util/file-names.ts';
import { killPoint } from '../../util/kill-point.ts';
import { listNamesIn } from '../../util/read-file.ts';
import { removeEmptyTrees } from '../../util/remove-tree.ts';
import { withAllCellsLock } from '../cells/cell-git-folders.ts';
import { type GitAccess, gitInWorkTree, withVariables } from '../objects/git-access.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { RefChangeJournal } from '../refs/ref-change-journal.ts';
import { listUntrackedFilesInTheWay } from './filtered-and-untracked.ts';

/**
 * Makes a plain worktree for a person with a branch checked out in it. The branch is made at `start`, or moved there
 * where `isReset`; else it is taken as it stands. One at a time, and with no tracking: several at once fail on git's
 * own configuration lock.
 */
export async function addPersonWorktree(
  access: GitAccess,
  path: string,
  {
    branch,
    start,
    mode,
  }: { readonly branch: string; readonly start: ObjectId; readonly mode: 'new' | 'reset' | 'as-is' },
): Promise<void> {
  const { commonDir } = access.repository;
  const where = mode === 'as-is' ? [path, branch] : ['--no-track', mode === 'new' ? '-b' : '-B', branch, path, start];
  killPoint('person worktree to make');
  await withAllCellsLock(commonDir, async () => {
    mkdirSync(dirname(path), { recursive: true });
    await runGit(inCommonDir(access), ['worktree', 'add', '--quiet', ...where]);
  });
  killPoint('person worktree made');
}

/** Takes a worktree off its branch, files and index as they are: the branch may move without it. */
export async function detachWorktree(access: GitAccess, path: string): Promise<void> {
  await runGit(gitInWorkTree(access, path), ['checkout', '--quiet', '--detach']);
}

// Where a person's settings leave new files out of what git shows, it would remove them too.
const untrackedShown = 'status.showUntrackedFiles=normal';

/** Removes a worktree without local changes; ignored files go with it. False: it has some, and stays. */
export async function removePersonWorktree(access: GitAccess, path: string): Promise<boolean> {
  killPoint('person worktree to remove');
  const remove = async (...options: readonly string[]): Promise<boolean> => {
    const args = ['-c', untrackedShown, 'worktree', 'remove', ...options, path];
    return (await runGit(inCommonDir(access), args, { accept: [0, 128] })).exitCode === 0;
  };
  // git removes none with the place of a submodule unless it is forced to, however empty that is.
  const isGone = (await remove()) || ((await holdsOnlyEmptySubmodules(access, path)) && (await remove('--force')));
  removeEmptyTrees(path);
  killPoint('person worktree removed');
  return isGone;
}

/** Whether a worktree has places of submodules, nothing in them, and no change. */
async function holdsOnlyEmptySubmodules(access: GitAccess, path: string): Promise<boolean> {
  if (!existsSync(join(path, '.git'))) return false;
  const git = withVariables(gitInWorkTree(access, path), await access.inertDrivers());
  const gitDir = await runGitForText(git, ['rev-parse', '--absolute-git-dir']);
  if ((await findSubmodules(git, gitDir)) !== 'empty') return false;
  const args = ['-c', untrackedShown, 'status', '--porcelain', '--ignore-submodules=none'];
  return (await runGit(git, args)).stdout.length === 0;
}

/** Whether submodules of a worktree are checked out there, or were: commits in them may be nowhere else. */
export async function findSubmodules(git: GitContext, gitDir: string): Promise<'none' | 'empty' | 'filled'> {
  const places = splitFileNames((await runGit(git, ['ls-files', '-z', '--stage'])).stdout)
    .filter((line) => line.startsWith('160000 '))
    .map((line) => join(git.cwd, line.slice(line.indexOf('\t') + 1)));
  const isFilled = [join(gitDir, 'modules'), ...places].some((place) => listNamesIn(place).length > 0);
  return isFilled ? 'filled' : places.length > 0 ? 'empty' : 'none';
}

/** Not the context for objects alone: its index would become that of the new worktree. */
export function inCommonDir({ context, repository: { commonDir } }: GitAccess): GitContext {
  return { cwd: commonDir, env: context.env, variables: { GIT_DIR: commonDir } };
}

interface Advance {
  readonly from: ObjectId;
  readonly to: ObjectId;
  readonly inertDrivers: GitContext['variables'];
  readonly commonDir: string;
}

/**
 * Brings index and files of the person's work tree from one commit to another after its branch was moved.
 * Anything that is neither as in `from` nor as in `to` makes it 'refused', and then nothing is touched. Files
 * are written as git stores them: what an agent wrote starts no filter of the person's. What a kill or a full disk cut
 * short is finished by finishKilledRefChanges.
 */
export async function advanceWorktree(
  context: GitContext,
  advance: Advance,
): Promise<'advanced' | 'already' | 'refused'> {
  const gitDir = await runGitForText(context, ['rev-parse', '--path-format=absolute', '--git-dir']);
  const journal = new RefChangeJournal(advance.commonDir);
  const { from, to } = advance;
  const noted = { workTree: context.cwd, gitDir, from, to, variables: variablesOf(context, advance) };
  journal.begin({ git: null, moves: [], locks: [join(gitDir, 'index.lock')], advance: noted });
  try {
    return await syncWorktree(context, advance);
  } catch (error) {
    if (asDiskFullError(error, '') !== null) journal.leave();
    throw error;
  } finally {
    journal.close();
  }
}

function variablesOf({ variables }: GitContext, { inertDrivers }: Advance): Record<string, string> {
  return { ...variables, ...inertDrivers };
}

async function syncWorktree(context: GitContext, advance: Advance): Promise<'advanced' | 'already' | 'refused'> {
  const { from, to } = advance;
  const quiet = { ...context, variables: variablesOf(context, advance) };
  // Only files that a filter turned into what they are need it to be seen as unchanged.
  const place = (await whereIsIt(quiet, from, to)) ?? (await whereIsIt(context, from, to));
  if (place !== from) return place === null ? 'refused' : 'already';
  if ((await listUntrackedFilesInTheWay(quiet, from, to)).length > 0) return 'refused';
  const { exitCode } = await runGit(quiet, ['read-tree', '-m', '-u', from, to], { accept: [0, 1, 128] });
  return exitCode === 0 ? 'advanced' : 'refused';
}

/** Which of the two commits the work tree shows, without any change; null for neither. */
async function whereIsIt(context: GitContext, from: ObjectId, to: ObjectId): Promise<ObjectId | null> {
  // A file that was only touched looks changed until the index is refreshed; 1 says that some are changed.
  const refresh = ['update-index', '-q', '--refresh'];
  if ((await runGit(context, refresh, { accept: [0, 1, 128] })).exitCode === 128) throw notRefreshed(context);
  if (await isAt(context, to)) return to;
  return (await isAt(context, from)) ? from : null;
}

/** git says nothing here itself. */
function notRefreshed({ cwd }: GitContext): FlameError {
  return indexLockedError(
    `The index of ${cwd} can't be written, most likely because another git is working there. What landed is not checked out yet.`,
    { kind: 'environment', hints: ['git flame status', 'git flame run'] },
  );
}

/** Whether index and tracked files are exactly the commit's. */
async function isAt(context: GitContext, commit: ObjectId): Promise<boolean> {
  const args = ['--quiet', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];
  const staged = await runGit(context, ['diff-index', '--cached', ...args, commit, '--'], { accept: [0, 1] });
  if (staged.exitCode !== 0) return false;
  return (await runGit(context, ['diff-files', ...args], { accept: [0, 1] })).exitCode === 0;
}

/**
 * Returns git's objections to moving a work tree from one commit to another, by trying it without doing it; empty: it
 * can be done. So git's own rules hold: a file marked assume-unchanged or skip-worktree that differs is in the way,
 * one outside a sparse checkout isn't. `quiet` is the same place with filters that run nothing.
 */
export async function findAdvanceObstacles(
  context: GitContext,
  quiet: GitContext,
  { from, to }: { readonly from: ObjectId; readonly to: ObjectId },
): Promise<readonly string[]> {
  const first = await tryAdvance(quiet, from, to);
  return first.length === 0 ? first : tryAdvance(context, from, to);
}

async function tryAdvance(context: GitContext, from: ObjectId, to: ObjectId): Promise<readonly string[]> {
  // A file that was only touched would look changed; 1 means that some are. A lock is reported by the next
  // command.
  await runGit(context, ['update-index', '-q', '--refresh'], { accept: [0, 1, 128] });
  const { exitCode, stderr } = await runGit(context, ['read-tree', '-m', '-u', '-n', from, to], {
    accept: [0, 1, 128],
  });
  return exitCode === 0 ? [] : stderr.split('\n').filter((line) => line !== '');
}
