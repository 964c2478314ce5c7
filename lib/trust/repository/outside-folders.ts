import { createHash } from 'node:crypto';
import { accessSync, constants, lstatSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { gitDirOf } from '../../git/process/git-dir-of.ts';
import { isBelow, isPrivatePlace, realPathOf, showsPrivatePlace } from '../../util/path-places.ts';

export interface FolderPlaces {
  /** The main work tree. */
  readonly root: string;
  readonly commonDir: string;
  /** The person's home; `/` where it is unknown. */
  readonly home: string;
  /** See userDataDir. */
  readonly dataDir: string;
}

/**
 * Default folder for agents' worktrees: beside the repository, on its disk and outside the tree that its own tools
 * walk. If that folder can't be made, belongs to another user, or lies in the work tree of another repository, as a
 * submodule's does: in the user's own data.
 */
export function defaultWorktreeDir({
  root,
  commonDir,
  dataDir,
}: Pick<FolderPlaces, 'root' | 'commonDir' | 'dataDir'>): string {
  const common = realPathOf(commonDir);
  // A bare repository has the same folder from each of its worktrees.
  const owner = isLinked(root, common) ? common : realPathOf(root);
  const name = owner === common ? basename(common).replace(/^\.|(?<=.)\.git$/g, '') : basename(owner);
  const beside = join(dirname(owner), `${name}.trees`);
  if (isFree(beside) && !isInWorkTree(dirname(owner), common)) return beside;
  const digest = createHash('sha256').update(common).digest('hex').slice(0, 12);
  return join(realPathOf(dataDir), 'trees', `${name}-${digest}`);
}

/** Whether a work tree's repository lies elsewhere and lists it. */
function isLinked(root: string, commonDir: string): boolean {
  return isBelow(gitDirOf(root) ?? '/', join(commonDir, 'worktrees'));
}

/** Whether this user can have a folder there: one that is there is theirs, and no link. */
function isFree(folder: string): boolean {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  const isOwn = facts === undefined || (facts.isDirectory() && facts.uid === process.geteuid?.());
  try {
    accessSync(facts === undefined ? dirname(folder) : folder, constants.W_OK | constants.X_OK);
    return isOwn;
  } catch {
    return false;
  }
}

/** Whether a folder is, or lies in, the work tree of a repository other than the one at `commonDir`. */
function isInWorkTree(folder: string, commonDir: string): boolean {
  const gitDir = gitDirOf(folder);
  if (gitDir !== null && gitDir !== commonDir) return true;
  return dirname(folder) !== folder && isInWorkTree(dirname(folder), commonDir);
}

/**
 * Real path of the agents' worktrees; null: in the repository. Throws a FlameError `bad-worktree-dir` for the root
 * folder, a home or a folder above it, places of keys, and git's own folders.
 */
export function worktreesOutside(
  worktreeDir: string,
  { root, commonDir, home }: FolderPlaces,
): string | null {
  const real = realPathOf(resolve(root, worktreeDir));
  const isGits = isBelow(real, realPathOf(commonDir)) || real.split('/').includes('.git');
  if (
    isGits ||
    real === realPathOf(root) ||
    isBelow(realPathOf(home), real) ||
    isPrivatePlace(real, realPathOf(home))
  )
    throw badWorktreeDir(worktreeDir, real);
  return isBelow(real, realPathOf(root)) ? null : real;
}

/**
 * Real path of a configured plugin. Throws a FlameError `bad-plugin-dir` for a home, a folder that holds places of
 * keys, and one that the repository lies in: a plugin is shown to agents as a whole.
 */
export function pluginFolder(pluginDir: string, { root, home }: FolderPlaces): string {
  const real = realPathOf(resolve(root, pluginDir));
  const holdsRepository = isBelow(realPathOf(root), real);
  if (holdsRepository || showsPrivatePlace(real, realPathOf(home))) throw badPluginDir(pluginDir, real);
  return real;
}

function badWorktreeDir(written: string, real: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'bad-worktree-dir',
    message: `project.worktree_dir ${written} can't hold worktrees: ${real} is the repository itself, a home, or a place of keys or of git.`,
    hints: ['Set another in .blueflame.yml: project: { worktree_dir: ../trees }'],
    data: { worktree_dir: written, real },
  });
}

function badPluginDir(written: string, real: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'bad-plugin-dir',
    message: `superpowers.plugin_dir ${written} can't be shown to agents: ${real} is a home, holds keys, or holds this repository.`,
    hints: ['Name the folder of the plugin in .blueflame.yml: superpowers: { plugin_dir: <folder> }'],
    data: { plugin_dir: written, real },
  });
}
