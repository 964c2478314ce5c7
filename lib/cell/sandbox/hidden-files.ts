import { basename, join, relative } from 'node:path';
import { maskedPaths } from '../../domain/config/cell-paths.ts';
import type { Config } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';
import { hiddenPartOf, isMeant } from '../../policy/hidden-names.ts';
import { isBelow, realPath } from '../../util/path-places.ts';
import { listPrivateIn } from './private-dependencies.ts';
import { isThere } from './tool-paths.ts';

// Each is a mount, and the kernel looks through all of them for the next.
const mostMasked = 1_000;

/**
 * Finds committed files, and files of project.copy, of a work tree under names of `hidden_paths`, by real paths,
 * folders in place of all they hold. Files that setup or an agent makes there are its own. `showsCopies`: without those
 * project.copy names in full, which the person wants programs to see. Throws a FlameError `too-many-hidden`.
 */
export async function findHidden(
  git: GitContext,
  { permissions, project }: Pick<Config, 'permissions' | 'project'>,
  { showsCopies }: { readonly showsCopies: boolean },
): Promise<readonly string[]> {
  const globs = maskedPaths(permissions);
  if (globs.length === 0) return [];
  const { stdout } = await runGit(git, ['ls-files', '-z', '--cached']);
  const tracked = stdout.toString().split('\0').filter(Boolean);
  const hiddenPart = hiddenPartOf(globs);
  const paths = [...new Set([...tracked, ...project.copy])].flatMap((path) => {
    const found = hiddenPart(path);
    return found === null || (showsCopies && isMeant(globs, project.copy, path)) ? [] : [found];
  });
  const moved = await findMoved(git, paths);
  const real = [...new Set([...paths, ...moved])].map((path) => join(git.cwd, path)).filter(isThere);
  const found = [...new Set(real.map(realPath))].filter(
    (path) => path !== git.cwd && isBelow(path, git.cwd) && !real.some((other) => isAbove(other, path)),
  );
  if (found.length > mostMasked) throw tooMany(found.length);
  return found;
}

/**
 * Untracked paths of the same names: an agent can't rename what its cell covers, but a folder above it, and in the next
 * cell that would be another place.
 */
async function findMoved(git: GitContext, hidden: readonly string[]): Promise<readonly string[]> {
  const names = new Set(hidden.map((path) => basename(path)));
  if (names.size === 0) return [];
  const { stdout } = await runGit(git, ['ls-files', '-z', '--others']);
  const look = { root: git.cwd, blocked: [...names].map((name) => `**/${name}`), most: mostMasked };
  const found: string[] = [];
  for (const path of stdout.toString().split('\0').filter(Boolean)) {
    // A repository in it is not looked into by git.
    if (path.endsWith('/')) {
      const inside = await listPrivateIn(path.slice(0, -1), look);
      found.push(...(inside ?? [join(git.cwd, path)]).map((one) => relative(realPath(git.cwd), one)));
    }
    const parts = path.split('/');
    const at = parts.findIndex((name) => names.has(name));
    if (at >= 0) found.push(parts.slice(0, at + 1).join('/'));
  }
  return found;
}

function isAbove(folder: string, path: string): boolean {
  return folder !== path && isBelow(path, folder);
}

function tooMany(count: number): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'too-many-hidden',
    message: `${count} committed files match permissions.hidden_paths, and a cell can hide ${mostMasked} at most.`,
    hints: ['Name their folders in permissions.hidden_paths, like secrets/**, then look: git flame config'],
  });
}
