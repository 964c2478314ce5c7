import { resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { isBelow } from '../../util/is-below.ts';
import { isPrivatePlace, showsPrivatePlace } from '../../util/private-places.ts';
import { realPathOf } from '../../util/real-path.ts';

export interface FolderPlaces {
  /** The main work tree. */
  readonly root: string;
  readonly commonDir: string;
  /** The person's home; `/` where it is unknown. */
  readonly home: string;
}

/**
 * Where agents' worktrees really are; null: in the repository. Throws a FlameError `bad-worktree-dir` for the root
 * folder, a home or what is above it, places of keys, and git's own folders.
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
 * Where a configured plugin really is. Throws a FlameError `bad-plugin-dir` for a home, a folder that holds places
 * of keys, and one that the repository lies in: a plugin is shown to agents as a whole.
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
    hints: ['Set another in .blueflame.yml: project: { worktree_dir: .trees }'],
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
