import { lstatSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { PathFacts } from '../../domain/agent-policy.ts';
import { programPath } from '../../util/child-programs.ts';
import { killPoint } from '../../util/kill-point.ts';
import { isSameOrBelowFolder } from '../../util/real-and-private-paths.ts';
import { removeTree } from '../../util/remove-tree.ts';
import type { SandboxCapabilities } from '../runner-context.ts';
import {
  dependencyPath,
  dependencyStoreRoot,
  type InstalledDependencyFolder,
  listUsed,
  recordDependencyUse,
  removeUsesOfGoneWorktrees,
  worktreeDependencyPath,
} from './dependency-store.ts';

/** A folder of a worktree, or a variable that leads to one outside of it. */
export type DependencyPlace = Pick<InstalledDependencyFolder, 'place' | 'isVariable'>;

interface Taker {
  readonly commonDir: string;
  /** Its path. */
  readonly worktree: string;
}

/** Gives a worktree what an install made, in places of its own: nothing it writes there is seen by another. */
export async function giveWorktreeDependencies(
  taker: Taker,
  {
    key,
    places,
    isMounted,
  }: Pick<InstalledDependencyFolder, 'key' | 'isMounted'> & { readonly places: readonly DependencyPlace[] },
): Promise<void> {
  const { commonDir, worktree } = taker;
  await removeUsesOfGoneWorktrees(commonDir);
  await removeWorktreeDependencies(taker, places);
  for (const given of places) {
    const own = ownFolder(taker, given);
    const made = join(dependencyPath(commonDir, key), given.place);
    mkdirSync(own, { mode: 0o700 });
    if (isMounted) {
      symlinkSync(relative(own, made), join(own, 'lower'));
      for (const path of [join(own, 'upper'), join(own, 'work'), targetOf(taker, given)]) mkdirSync(path);
    } else await copyTree(made, targetOf(taker, given));
  }
  killPoint('dependencies to give');
  const has = places.map((given) => ({ ...given, key, isMounted }));
  recordDependencyUse(commonDir, worktree, { places, has });
  killPoint('dependencies given');
}

/** Does away with what a worktree has in some places, as `npm ci` does, links included; it is a worktree's own from then on. */
export async function removeWorktreeDependencies(taker: Taker, places: readonly DependencyPlace[]): Promise<void> {
  recordDependencyUse(taker.commonDir, taker.worktree, { places, has: [] });
  for (const given of places) {
    await removeTree(ownFolder(taker, given));
    if (!given.isVariable) await removeTree(targetOf(taker, given));
  }
}

function ownFolder({ commonDir, worktree }: Taker, { place }: DependencyPlace): string {
  return join(dependencyStoreRoot(commonDir), worktreeDependencyPath(worktree, place));
}

function targetOf(taker: Taker, given: DependencyPlace): string {
  return given.isVariable ? join(ownFolder(taker, given), 'folder') : join(taker.worktree, given.place);
}

/** Shares what the disk holds where the file system can. */
async function copyTree(from: string, to: string): Promise<void> {
  const { execa } = await import('execa');
  const options = process.platform === 'darwin' ? '-cRp' : '-a';
  try {
    // GNU's shares by itself from version 9 on.
    await execa('cp', [options, ...(process.platform === 'linux' ? ['--reflink=auto'] : []), from, to]);
  } catch {
    await removeTree(to);
    await execa('cp', ['-RpP', from, to]);
  }
}

/** Lists the overlays that a worktree's cells mount, so that they see its dependencies. */
export function listDependencyOverlays(taker: Taker): readonly DependencyOverlay[] {
  return listUsed(taker.commonDir, taker.worktree).flatMap((used) => {
    const target = targetOf(taker, used);
    const isThere = lstatSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
    // An agent may have put something else there, or a link above it.
    const isPlain =
      isThere && (used.isVariable || realpathSync(target) === join(realpathSync(taker.worktree), used.place));
    return used.isMounted && isPlain ? [{ own: ownFolder(taker, used), target }] : [];
  });
}

/** The folders that variables lead to, by their names. */
export function collectDependencyVariables(taker: Taker): Readonly<Record<string, string>> {
  const used = listUsed(taker.commonDir, taker.worktree).filter(({ isVariable }) => isVariable);
  return Object.fromEntries(used.map((one) => [one.place, targetOf(taker, one)]));
}

/** The facts as the worktree's cells see them: what is mounted there lies in two parts for who looks from outside. */
export function pathFactsWithOverlays(facts: PathFacts, overlays: readonly DependencyOverlay[]): PathFacts {
  const partsOf = (path: string): readonly [upper: string, lower: string] | null => {
    const over = overlays.find(({ target }) => isSameOrBelowFolder(path, target));
    if (over === undefined) return null;
    const below = relative(over.target, path);
    return [join(over.own, 'upper', below), join(over.own, 'lower', below)];
  };
  return {
    ...facts,
    lstat(path) {
      const parts = partsOf(path);
      if (parts === null || overlays.some(({ target }) => target === path)) return facts.lstat(path);
      const changed = facts.lstat(parts[0]);
      // A device stands for what was removed.
      return changed?.kind === 'other' ? null : (changed ?? facts.lstat(parts[1]));
    },
    list(path) {
      const [upper, lower] = partsOf(path) ?? [];
      if (upper === undefined || lower === undefined) return facts.list(path);
      const [below, own] = [facts.list(lower), facts.list(upper)];
      if (below === null && own === null) return null;
      const names = new Set([...(below ?? []), ...(own ?? [])]);
      return [...names].filter((name) => facts.lstat(join(upper, name))?.kind !== 'other');
    },
  };
}

/** A folder that a cell sees with changes of its own on top. */
export interface DependencyOverlay {
  /** Holds `lower`, which may be a link, `upper` and `work`. */
  readonly own: string;
  /** The folder it appears at. */
  readonly target: string;
}

// bubblewrap mounts overlays itself from 0.11 on, and Debian 12 has 0.8. The options' paths are relative, since commas
// and colons divide them.
const mountScript = `mount=$1
shift
while [ "$1" != -- ]; do
  cd "$1" && "$mount" -i -t overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work overlay "$2" || exit 125
  shift 2
done
shift
exec "$@"`;

/** Builds the words before bubblewrap: `entrance`, and a command that mounts overlays which only the cell sees. */
export function buildOverlayMountCommand(
  entrance: SandboxCapabilities['entrance'],
  overlays: readonly DependencyOverlay[],
  searchPath: string | undefined,
): readonly string[] {
  const words = entrance.map((word, at) => (at === 0 ? programPath(word, searchPath) : word));
  if (overlays.length === 0) return words;
  return [
    // mount(8) serves root alone; bubblewrap gives the program its own user again.
    ...words.map((word) => (word === '--map-current-user' ? '--map-root-user' : word)),
    '/bin/sh',
    '-c',
    mountScript,
    'sh',
    programPath('mount', searchPath),
    ...overlays.flatMap(({ own, target }) => [own, target]),
    '--',
  ];
}

/**
 * Whether cells can have overlays in a folder: kernels, containers, file systems and policies of the system each may
 * refuse them, so it is tried.
 */
export async function canMountOverlays(
  { confinement, entrance }: Pick<SandboxCapabilities, 'confinement' | 'entrance'>,
  folder: string,
  searchPath: string | undefined,
): Promise<boolean> {
  if (confinement !== 'bubblewrap' || entrance.length === 0) return false;
  await removeTree(folder);
  for (const path of ['lower/a/b', 'upper', 'work', 'target']) mkdirSync(join(folder, path), { recursive: true });
  const target = join(folder, 'target');
  const [program = '', ...args] = buildOverlayMountCommand(entrance, [{ own: folder, target }], searchPath);
  const { execa } = await import('execa');
  const { failed } = await execa(program, [...args, '/bin/sh', '-c', trial, 'sh', target], {
    stdio: 'ignore',
    env: { PATH: searchPath },
    extendEnv: false,
    timeout: 10_000,
    killSignal: 'SIGKILL',
    reject: false,
  });
  await removeTree(folder);
  return !failed;
}

// Removed files must stay removed, and a new folder in their place be empty: not every file system supports that.
const trial = 'cd "$1" && rmdir a/b a && mkdir a && [ -z "$(ls a)" ] && : > c && mv c a/c';
