import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { GitLimits } from '../../domain/config/checked-work-limits.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree, Quarantine } from '../../domain/ports/git-cells.ts';
import type { ChangedPaths, MaybeQuarantinedCommit, TrialMergeResult } from '../../domain/ports/git-commits.ts';
import { isMissingFileError } from '../../util/read-file.ts';
import { removeTree } from '../../util/remove-tree.ts';
import { readDiffText } from '../diff/diff-commits.ts';
import {
  type GitAccess,
  gitInPersonWorkTree,
  gitOnObjects,
  quarantineVariables,
  withVariables,
} from '../objects/git-access.ts';
import { mergeTree } from '../objects/merge-tree.ts';
import { requireNotStopped } from '../process/limit-git-runs.ts';
import { type GitContext, gitFailedError, runGit } from '../process/run-git.ts';
import { stagePaths } from './commit-leftovers.ts';
import { requirePlainObjectFiles } from './copy-verified-objects.ts';
import { listLeftoversWithGit } from './leftovers.ts';
import { requireUnchangedSubmodules } from './require-unchanged-submodules.ts';
import { sanitizeWorktree } from './sanitize-worktree.ts';
import { countIndexEntries, gitWithToolIndex, readFileAtAgentStart, requireCellGitFolders } from './tool-index.ts';

/** See GitTrials. By the attributes in the person's work tree, as the merge itself will be. */
export async function tryMerge(
  access: GitAccess,
  [one, other]: readonly [MaybeQuarantinedCommit, MaybeQuarantinedCommit],
  signal: AbortSignal,
): Promise<TrialMergeResult> {
  if (one.commit === other.commit) return { kind: 'clean' };
  const objectDir = trialFolder(access.repository.commonDir);
  try {
    const here = withVariables(gitInPersonWorkTree(access), await access.inertDrivers());
    const context = reading(access, here, { objectDir, commits: [one, other], signal });
    const merged = await mergeTree(context, one.commit, other.commit);
    return merged.kind === 'clean' ? { kind: 'clean' } : { kind: 'conflict', paths: merged.paths };
  } catch (error) {
    if (error instanceof FlameError && error.code === 'unrelated-histories') return { kind: 'unrelated' };
    throw error;
  } finally {
    await removeTree(objectDir);
  }
}

/** See GitTrials. */
export async function readChangedPaths(
  access: GitAccess,
  { from, to }: { readonly from: ObjectId; readonly to: MaybeQuarantinedCommit },
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<ChangedPaths | null> {
  if (from === to.commit) return { paths: [], removes: false };
  const objectDir = join(access.repository.commonDir, 'objects');
  const context = reading(access, gitOnObjects(access), { objectDir, commits: [to], signal });
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', '--no-ext-diff', from, to.commit];
  const { stdout } = await runGit(context, args);
  const tokens = stdout.toString().split('\0').slice(0, -1);
  const paths = tokens.filter((_, index) => index % 2 === 1);
  const removes = tokens.some((token, index) => index % 2 === 0 && token === 'D');
  return paths.length > most ? null : { paths, removes };
}

/** None where its cell ended meanwhile: what was accepted from there is in the repository. */
function standing(quarantine: Quarantine | null): readonly string[] {
  if (quarantine === null) return [];
  try {
    requirePlainObjectFiles(quarantine.objectDir);
    return [quarantine.objectDir];
  } catch (error) {
    if (isMissingFileError(error)) return [];
    throw error;
  }
}

/** git that reads quarantines behind the repository, within limits, and fetches nothing an agent named. */
function reading(
  { repository }: GitAccess,
  context: GitContext,
  asked: {
    readonly objectDir: string;
    readonly commits: readonly MaybeQuarantinedCommit[];
    readonly signal: AbortSignal;
  },
): GitContext {
  const { objectDir, commits, signal } = asked;
  requireNotStopped({ stopped: signal });
  const quarantines = commits.flatMap(({ quarantine }) => standing(quarantine));
  const alternates = [join(repository.commonDir, 'objects'), ...quarantines];
  const variables = { ...quarantineVariables({ objectDir, alternates }), GIT_NO_LAZY_FETCH: '1' };
  return { ...withVariables(context, variables), guard: { limits: trialLimits, stopped: signal } };
}

/**
 * Diffs the worktree of an agent that has ended against the start of its work, as a unified diff, without ignored and
 * prepared files. Works aside: changes neither the repository nor the index of the worktree, and removes from the
 * worktree only what sanitizeWorktree does. Throws the FlameErrors of what is too much to be read, and `cell-submodule`.
 */
export async function diffCell(access: GitAccess, cell: CellWorktree): Promise<string> {
  const { ownGitDir, root } = requireCellGitFolders(access, cell);
  const objectDir = trialFolder(access.repository.commonDir);
  try {
    await requireUnchangedSubmodules(access, cell, cell.base);
    const { bounds, guard } = access;
    const before = (path: string): Promise<string | null> => readFileAtAgentStart(access, cell, path);
    await sanitizeWorktree(cell.path, { bounds, guard, known: countIndexEntries(ownGitDir), before });
    const aside = quarantineVariables({ objectDir, alternates: cell.quarantine.alternates });
    const index = join(objectDir, 'index');
    // The index spares reading the files it knows again.
    if (existsSync(join(ownGitDir, 'index'))) copyFileSync(join(ownGitDir, 'index'), index);
    const git = {
      ...withVariables(await gitWithToolIndex(access, cell), { ...aside, GIT_INDEX_FILE: index }),
      guard: { ...guard, limits: trialLimits },
    };
    await runGit(git, ['read-tree', '--reset', cell.base]);
    const left = await listLeftoversWithGit(git, root, bounds);
    const tree = await stagePaths(
      git,
      left.map(({ path }) => path),
    );
    return await readDiffText(withVariables(gitOnObjects(access), aside), cell.base, tree);
  } finally {
    await removeTree(objectDir);
  }
}

/** For what is only looked at: what takes longer is not worth it. */
const trialLimits: GitLimits = { wallMs: 20_000, cpuSeconds: 15, memoryMb: 2_048 };

/** For what git writes. After a kill it is a quarantine without a cell, which the next start removes. */
function trialFolder(commonDir: string): string {
  const folder = join(commonDir, 'blueflame', 'objects');
  try {
    mkdirSync(folder, { recursive: true });
    return mkdtempSync(join(folder, 'trial-'));
  } catch (cause) {
    throw gitFailedError(`${folder} can't be written, so no merge can be tried.`, {
      hints: ['git flame doctor'],
      cause,
    });
  }
}
