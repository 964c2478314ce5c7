import { basename, join, relative } from 'node:path';
import type { Config } from '../../domain/config/config-schema.ts';
import { listMaskedPaths } from '../../domain/config/hidden-paths.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { listEntriesGitSees } from '../../git/cells/sanitize-worktree.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';
import { listUntracked } from '../../git/worktrees/filtered-and-untracked.ts';
import { createHiddenPartFinder, isHiddenPathShared } from '../../policy/hidden-path-parts.ts';
import { literalStartOfGlob } from '../../policy/judge-lock.ts';
import { isPathBlockedByGlob } from '../../policy/judge-path.ts';
import { agentCliSettingsFiles } from '../../policy/protected-places.ts';
import { globMatchesPath, locksConflict } from '../../util/path-globs.ts';
import { isSameOrBelowFolder, realPathOrSame } from '../../util/real-and-private-paths.ts';
import { listWords } from '../../util/sort-and-group.ts';
import type { RunnerContext, VisibleWorkTreePaths } from '../runner-context.ts';
import { pathExists } from './tool-paths.ts';

// Each is a mount, and the kernel looks through all of them for the next.
const mostMasked = 1_000;

/**
 * Finds committed files, and files of project.copy, of a work tree under names of `hidden_paths`, by real paths,
 * folders in place of all they hold. Files that setup or an agent makes there are its own. `showsCopies`: without those
 * project.copy names in full, which the person wants programs to see. Throws a FlameError `too-many-hidden`.
 */
export async function findHiddenFiles(
  git: GitContext,
  { permissions, project }: Pick<Config, 'permissions' | 'project'>,
  { showsCopies }: { readonly showsCopies: boolean },
): Promise<readonly string[]> {
  const globs = listMaskedPaths(permissions);
  if (globs.length === 0) return [];
  const { stdout } = await runGit(git, ['ls-files', '-z', '--cached']);
  const tracked = stdout.toString().split('\0').filter(Boolean);
  const hiddenPart = createHiddenPartFinder(globs);
  const paths = [...new Set([...tracked, ...project.copy])].flatMap((path) => {
    const found = hiddenPart(path);
    return found === null || (showsCopies && isHiddenPathShared(globs, project.copy, path)) ? [] : [found];
  });
  const moved = await findMoved(git, paths);
  const real = [...new Set([...paths, ...moved])].map((path) => join(git.cwd, path)).filter(pathExists);
  const found = [...new Set(real.map(realPathOrSame))].filter(
    (path) =>
      path !== git.cwd &&
      isSameOrBelowFolder(path, git.cwd) &&
      !real.some((other) => other !== path && isSameOrBelowFolder(path, other)),
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
      found.push(...(inside ?? [join(git.cwd, path)]).map((one) => relative(realPathOrSame(git.cwd), one)));
    }
    const parts = path.split('/');
    const at = parts.findIndex((name) => names.has(name));
    if (at >= 0) found.push(parts.slice(0, at + 1).join('/'));
  }
  return found;
}

function tooMany(count: number): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'too-many-hidden',
    message: `${count} committed files match permissions.hidden_paths, but a cell can hide at most ${mostMasked}.`,
    hints: ['Name their folders in permissions.hidden_paths, like secrets/**, then check: git flame config'],
  });
}

const mostLooked = 1_000_000;
const foldersAtOnce = 64;

/**
 * Files and folders among dependencies that `blocked` names, by where they really are. `folder` is its path in the
 * repository. null: there are too many to look at, or more than `most`.
 */
async function listPrivateIn(
  folder: string,
  { root, blocked, most }: { readonly root: string; readonly blocked: readonly string[]; readonly most: number },
): Promise<readonly string[] | null> {
  const isBlocked = blockedBelow(folder, blocked);
  const real = realPathOrSame(join(root, folder));
  const found: string[] = [];
  let count = 0;
  for (const waiting = ['']; waiting.length > 0; ) {
    const batch = await Promise.all(
      waiting.splice(0, foldersAtOnce).map(async (at) => ({ at, entries: await listEntriesGitSees(join(real, at)) })),
    );
    for (const { at, entries } of batch) {
      count += entries.length;
      if (count > mostLooked) return null;
      for (const entry of entries) {
        const path = join(at, entry.name);
        // The target of a link is shown or hidden on its own account.
        if (entry.isSymbolicLink()) continue;
        if (isBlocked(join(folder, path))) found.push(join(real, path));
        else if (entry.isDirectory()) waiting.push(path);
      }
      if (found.length > most) return null;
    }
  }
  return found;
}

/** Whether one of the globs names a path, whose folders none of them names. Packages have many files of few names. */
function blockedBelow(folder: string, blocked: readonly string[]): (path: string) => boolean {
  const globs = blocked.filter((glob) => locksConflict(widened(glob), `${folder}/**`));
  const byName = globs.filter((glob) => /^\*\*\/[^/]+$/.test(glob));
  const byPath = globs.filter((glob) => !byName.includes(glob));
  const names = new Map<string, boolean>();
  return (path) => {
    const name = basename(path);
    const known = names.get(name) ?? byName.some((glob) => isPathBlockedByGlob(glob, name));
    names.set(name, known);
    return known || byPath.some((glob) => isPathBlockedByGlob(glob, path));
  };
}

/** With a star for each name that may be read two ways. */
function widened(glob: string): string {
  return glob.replace(/[^/]*[[(][^/]*/g, '*');
}

/**
 * Finds the settings for agent CLIs that a work tree brings, by their real paths. Some CLIs load plugins from there
 * under any options, so an agent's cell shows all of it empty.
 */
export function findAgentCliSettingsInTree(root: string): readonly string[] {
  return below(
    root,
    agentCliSettingsFiles.map((name) => join(root, name)),
  );
}

/** The files of these names in every folder of a git work tree, by their real paths. */
export async function findFilesNamed({ cwd, env }: GitContext, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const globs = names.map((name) => `:(glob)**/${name}`);
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...globs];
  const { stdout } = await runGit({ cwd, env }, listed);
  const paths = stdout.toString().split('\0').filter(Boolean);
  return below(
    cwd,
    paths.map((path) => join(cwd, path)),
  );
}

function below(root: string, paths: readonly string[]): readonly string[] {
  const found = paths.filter(pathExists).map(realPathOrSame);
  return [...new Set(found)].filter((path) => path !== root && isSameOrBelowFolder(path, root));
}

export const nothingHiddenInWorkTree: VisibleWorkTreePaths = {
  covered: [],
  kept: [],
  hidden: [],
  hiddenFromAgents: [],
};

// Programs look upwards from a worktree for these, and what they hold was downloaded.
const dependencies = new Set(
  listWords(`
  node_modules bower_components jspm_packages elm-stuff vendor Pods .bundle .yarn .pnp.cjs .pnp.loader.mjs
  .pnp.data.json
`),
);
// Each is a mount; where a folder has more hidden files, it isn't shown.
const mostCovered = 300;

/**
 * A cell shows of the person's work tree dependencies and what the configuration links into worktrees: not an `.env`
 * with real keys, however deep it lies. In place of tracked files, `buildCellProfile` links the worktree's.
 */
export async function findVisibleWorkTreePaths({
  repository,
  config,
  env,
}: Pick<RunnerContext, 'repository' | 'config' | 'env'>): Promise<VisibleWorkTreePaths> {
  const { mainWorkTree, commonDir } = repository;
  if (mainWorkTree === null) return nothingHiddenInWorkTree;
  const { link } = config.project;
  const untracked = (await listUntracked({ cwd: mainWorkTree, env })).map((entry) => entry.replace(/\/$/, ''));
  const named = link
    .map(literalStartOfGlob)
    .filter((name) => untracked.some((entry) => isSameOrBelowFolder(name, entry)));
  const kept = named.map((name) => join(mainWorkTree, name)).filter(pathExists);
  const hidden: string[] = [];
  const hiddenFromAgents: string[] = [];
  const globs = listMaskedPaths(config.permissions);
  const hiddenPart = createHiddenPartFinder(globs);
  const look = { root: mainWorkTree, blocked: globs, most: mostCovered };
  for (const name of untracked) {
    const path = join(mainWorkTree, name);
    const isLinked = link.some((glob) => globMatchesPath(glob, name));
    if (isSameOrBelowFolder(commonDir, path)) continue;
    const found = isDependency(path) || isLinked ? await listPrivateIn(name, look) : null;
    if (found === null) continue;
    kept.push(path, realPathOrSame(path));
    const secret = hiddenPart(name) === null ? found : [realPathOrSame(path)];
    const isMeantFor = (one: string): boolean =>
      isHiddenPathShared(globs, link, relative(realPathOrSame(mainWorkTree), one));
    hidden.push(...secret.filter((one) => !isMeantFor(one)));
    hiddenFromAgents.push(...secret.filter(isMeantFor));
  }
  return { covered: [mainWorkTree], kept, hidden, hiddenFromAgents };
}

function isDependency(path: string): boolean {
  return dependencies.has(basename(path)) || pathExists(join(path, 'pyvenv.cfg'));
}
