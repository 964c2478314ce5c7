import { closeSync, lstatSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { agentCommonFolderName } from '../../git/cells/agent-refs.ts';
import { isFolder, listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { isSameOrBelowFolder, realPathOrSame } from '../../util/real-and-private-paths.ts';
import type { RunFolder } from '../run-folder.ts';
import type { CellProfile } from './bwrap-profile.ts';
import { isBelowAny, type MachinePaths, needsOwnMount } from './machine-paths.ts';
import { pathExists } from './tool-paths.ts';

/** Where a cell works: a git worktree with its quarantine, or a plain folder. */
export interface CellPlace {
  readonly path: string;
  readonly quarantine: Quarantine | null;
}

interface CellLayoutRequest
  extends Pick<CellProfile, 'emptied' | 'mounts' | 'overlays' | 'doors' | 'env' | 'isInteractive' | 'mayTrace'> {
  readonly place: CellPlace;
  readonly isReadOnly: boolean;
  readonly folder: RunFolder;
  readonly sight: MachinePaths;
  /** See CellProfile.links. */
  readonly upwards: CellProfile['links'];
  /** Beside its own folders. */
  readonly writable: readonly string[];
}

/** Says what the cell shows of the machine and of its own place, and what can be written in it. */
export function buildCellProfile(request: CellLayoutRequest): CellProfile {
  const { folder, place, sight, isReadOnly, upwards, writable, ...given } = request;
  const { covered } = sight;
  const veiled = { ...sight, hidden: [...sight.hidden, ...covered] };
  const own = [...(place.quarantine?.alternates ?? []), place.path].filter((path) => needsOwnMount(veiled, path));
  const needed = [...new Set([...sight.needed, ...own])];
  // Links apart: nothing may be laid out through one.
  const isCovered = (path: string): boolean => isBelowAny(path, covered);
  const again = outermost(needed.filter(isCovered)).sort((a, b) => a.length - b.length);
  const places = again.filter((path) => !isLink(path));
  const [shownAgain, left] = [places.slice(0, mostShownAgain), places.slice(mostShownAgain)];
  const isPlaced = (path: string): boolean => !isBelowAny(path, left);
  const links = again.filter(isLink).map((path) => ({ path, target: realPathOrSame(path) }));
  return {
    ...given,
    system: sight.system,
    hidden: sight.hidden,
    readOnly: outermost(needed.filter((path) => !isCovered(path))),
    covered: covered.map((path) => {
      const worktree = place.quarantine === null ? [] : linksTo(place.path, path, listFoldersAbove(again));
      const facts = { links: [...links, ...worktree], mounted: shownAgain };
      return { path, shown: layOutWorkTree(join(folder.root, 'tree'), path, facts) };
    }),
    shownAgain,
    hiddenInside: sight.hiddenInside.filter(isPlaced),
    // One that was made a moment ago is covered too.
    hiddenFiles: [
      ...parseSocketTable(readTextOrEmpty('/proc/net/unix')).filter(sight.isInSight),
      ...sight.hiddenFiles,
    ].filter(isPlaced),
    kernelEntries: sight.kernelEntries,
    emptyFile: () => folder.emptyFile(),
    writable: [folder.home, folder.tmp, ...writable, ...(isReadOnly ? [] : workPlaces(place))],
    protected: [folder.control, ...(isReadOnly ? workPlaces(place) : protectedPlaces(place))],
    links: upwards.filter(({ path }) => sight.hiddenInside.includes(dirname(path))),
    tempDir: folder.tmp,
    workingDirectory: place.path,
  };
}

/** Each is a mount; of more packages with dependencies of their own, those nearest to the root have them. */
const mostShownAgain = 1_000;

interface PartsOfWorkTree {
  readonly links: CellProfile['links'];
  /** What is mounted there. */
  readonly mounted: readonly string[];
}

/**
 * Lays out in a folder what a cell shows in place of the person's work tree; bubblewrap takes too few arguments to do
 * so.
 */
function layOutWorkTree(root: string, workTree: string, { links, mounted }: PartsOfWorkTree): string {
  const placeOf = (path: string): string => join(root, relative(workTree, path));
  for (const path of mounted) makeMountPoint(placeOf(path), isFolder(path));
  for (const { path, target } of links) {
    mkdirSync(dirname(placeOf(path)), { recursive: true });
    symlinkSync(target, placeOf(path));
  }
  return root;
}

function makeMountPoint(path: string, isForFolder: boolean): void {
  mkdirSync(isForFolder ? path : dirname(path), { recursive: true });
  if (!isForFolder) writeFileSync(path, '');
}

/**
 * Links to the worktree's files, where the person has their own: what was installed to load those (`pip install -e`, a
 * workspace's packages in node_modules) loads the agent's. `above`: folders that hold something else, and what that is.
 */
function linksTo(target: string, path: string, above: ReadonlyMap<string, boolean>): CellProfile['links'] {
  return listNamesIn(target).flatMap((name) => {
    const [from, to] = [join(path, name), join(target, name)];
    const holds = above.get(from);
    // An agent may have put a link there, to names it must not see.
    if (holds === true) return isLink(to) ? [] : linksTo(to, from, above);
    return name === '.git' || holds === false ? [] : [{ path: from, target: to }];
  });
}

/** Folders above these paths (true), and the paths themselves (false). */
function listFoldersAbove(paths: readonly string[]): ReadonlyMap<string, boolean> {
  const above = new Map<string, boolean>();
  for (const path of paths)
    for (let folder = dirname(path); folder !== dirname(folder) && !above.has(folder); folder = dirname(folder))
      above.set(folder, true);
  for (const path of paths) above.set(path, false);
  return above;
}

// Its target is shown or not on its own account, and hidden files in it are named by their real paths.
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Without what lies below another: that is seen there, also what links in it lead to. */
function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isSameOrBelowFolder(path, other)));
}

function workPlaces(place: CellPlace): string[] {
  if (place.quarantine === null) return [place.path];
  return [place.path, place.quarantine.worktreeGitDir, place.quarantine.objectDir];
}

// The files that bind the worktree to its repository, and others that an agent's git doesn't need.
function protectedPlaces(place: CellPlace): string[] {
  if (place.quarantine === null) return [];
  const { worktreeGitDir, objectDir } = place.quarantine;
  const config = join(worktreeGitDir, 'config.worktree');
  // A file that isn't there can't be mounted over, but it could be created.
  closeSync(openSync(config, 'a'));
  return [
    join(place.path, '.git'),
    join(worktreeGitDir, 'gitdir'),
    join(worktreeGitDir, 'commondir'),
    join(worktreeGitDir, agentCommonFolderName, 'config'),
    join(worktreeGitDir, agentCommonFolderName, 'info', 'attributes'),
    config,
    join(objectDir, 'pack'),
    join(objectDir, 'info'),
  ].filter(pathExists);
}

/**
 * Reads the paths of sockets that programs of this machine listen on or use, in /proc/net/unix: the path is the rest of
 * the line after seven columns. Abstract names (@…) are left out.
 */
export function parseSocketTable(text: string): string[] {
  const paths = text.split('\n').flatMap((line) => {
    const match = /^\S+:(?: +\S+){5} +\d+ (\/.*)$/.exec(line);
    return match?.[1] === undefined ? [] : [match[1]];
  });
  return [...new Set(paths)];
}
