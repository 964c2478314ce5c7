import { join, resolve } from 'node:path';
import type { Repository } from '../../domain/ports/git-port.ts';
import { isFolder, readTextOrEmpty } from '../../util/read-file.ts';
import { isSameOrBelowFolder, realPathOrSame } from '../../util/real-and-private-paths.ts';
import type { SystemPath, VisibleWorkTreePaths } from '../runner-context.ts';
import type { CellProfile } from './bwrap-profile.ts';
import {
  listEntriesForeignToGit,
  listKernelEntries,
  listPrivateSystemPaths,
  listProgramNeighbours,
  listSystemPaths,
} from './system-paths.ts';
import { listLinkedToolPaths, listPackagePaths, listToolchainPaths, pathExists } from './tool-paths.ts';

// Sockets, other people's files, keys: everything an agent doesn't need to work.
const alwaysHidden = ['/run', '/tmp', '/var/tmp', '/root'];

/** A request for the parts of the machine that a cell is shown, wherever exactly it works. */
interface SightRequest {
  readonly repository: Repository;
  /** The person's home; `/` where it is unknown. */
  readonly personHome: string;
  readonly searchFolders: readonly string[];
  /** Files that will be run, with the packages they belong to. */
  readonly programs: readonly string[];
  /** See findVisibleWorkTreePaths. */
  readonly workTree: VisibleWorkTreePaths;
  /** Other files and folders it must see. */
  readonly shown: readonly string[];
  /** The folder its worktree is in, with those of other cells; null: it works in a plain folder. */
  readonly siblings: string | null;
}

/** The parts of the machine that all cells of one kind see alike. */
export interface MachinePaths
  extends Pick<CellProfile, 'system' | 'hidden' | 'hiddenInside' | 'hiddenFiles' | 'kernelEntries'> {
  /** Paths that must be seen beside the system, each once and none of them hidden itself. */
  readonly needed: readonly string[];
  /** See VisibleWorkTreePaths. */
  readonly covered: readonly string[];
  /** Whether a path is there and can be seen. */
  isInSight(path: string): boolean;
}

/** Looks at the machine: many hundred paths. */
export function findMachinePathsOfCells(request: SightRequest): MachinePaths {
  const { repository, personHome, workTree } = request;
  const hidden = hiddenFolders(personHome);
  const system = listSystemPaths();
  const { covered } = workTree;
  const needed = neededPaths(request, [...hidden, ...covered], system);
  const inner = innerFolders(request);
  const shown = [...system.map(({ path }) => path), ...needed];
  const isInSight = (path: string): boolean =>
    pathExists(path) && !isBelowAny(path, inner) && isShown({ hidden, shown, covered }, path);
  const unneeded = [
    ...listEntriesForeignToGit(repository.commonDir),
    ...listProgramNeighbours(request.searchFolders, [personHome, '/root']).map(realPathOrSame),
  ].filter((path) => !request.shown.some((one) => isSameOrBelowFolder(path, one)));
  const secret = [...listPrivateSystemPaths(), ...workTree.hidden, ...unneeded].filter(isInSight);
  return {
    system,
    hidden,
    needed,
    covered,
    isInSight,
    hiddenInside: [...inner, ...secret.filter(isFolder)],
    hiddenFiles: secret.filter((path) => !isFolder(path)),
    kernelEntries: listKernelEntries(),
  };
}

/** Whether a path, not hidden itself, must be shown by a mount of its own. */
export function needsOwnMount({ hidden, system }: Pick<MachinePaths, 'hidden' | 'system'>, path: string): boolean {
  return path !== '/' && !hidden.includes(path) && !inSystem({ hidden, system }, path) && pathExists(path);
}

export function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isSameOrBelowFolder(path, folder));
}

interface Shown {
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  readonly covered: readonly string[];
}

/** Whether a path can be seen: what is shown last counts. */
function isShown({ hidden, shown, covered }: Shown, path: string): boolean {
  const veil = [...covered, ...hidden].find((place) => isSameOrBelowFolder(path, place));
  return shown.some(
    (place) => isSameOrBelowFolder(path, place) && (veil === undefined || isSameOrBelowFolder(place, veil)),
  );
}

function hiddenFolders(personHome: string): string[] {
  const found = [...alwaysHidden, personHome].filter((path) => path !== '/' && pathExists(path)).map(realPathOrSame);
  return [...new Set(found)];
}

/** Lists the tool's own folders and the worktrees of other agents; the cell's own parts are shown again. */
function innerFolders({ repository, siblings }: SightRequest): string[] {
  const { commonDir, mainWorkTree } = repository;
  const own = join(commonDir, 'blueflame');
  if (siblings === null) return [own];
  const holdsMore = [commonDir, mainWorkTree ?? commonDir].some((path) => isSameOrBelowFolder(path, siblings));
  return holdsMore ? [own] : [own, siblings];
}

function neededPaths(request: SightRequest, hidden: readonly string[], system: readonly SystemPath[]): string[] {
  const { repository, personHome, searchFolders, workTree } = request;
  const { commonDir, mainWorkTree } = repository;
  const objects = join(commonDir, 'objects');
  // With another HOME (sudo, the container of a CI) PATH leads into the hidden one of root all the same.
  const homes = [personHome, '/root'];
  const needed = [
    commonDir,
    ...(mainWorkTree === null ? [] : [mainWorkTree]),
    realPathOrSame(objects),
    ...borrowedObjects(objects),
    ...listToolchainPaths(searchFolders, homes),
    ...request.programs.flatMap((program) => listPackagePaths(program, personHome)),
    ...request.shown,
    ...workTree.kept,
  ];
  const isSeen = (path: string): boolean => inSystem({ hidden, system }, path) || isBelowAny(path, needed);
  const tools = listLinkedToolPaths(searchFolders, homes, isSeen);
  return [...new Set([...needed, ...tools])].filter((path) => needsOwnMount({ hidden, system }, path));
}

function inSystem({ hidden, system }: Pick<MachinePaths, 'hidden' | 'system'>, path: string): boolean {
  const veils = hidden.filter((place) => place !== '/');
  return !isBelowAny(path, veils) && system.some((place) => isSameOrBelowFolder(path, place.path));
}

/** Object folders of other repositories that this one reads from; gitrepository-layout(5). */
function borrowedObjects(objects: string, depth = 0): string[] {
  if (depth > 5) return [];
  return readTextOrEmpty(join(objects, 'info', 'alternates'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(objects, line))
    .flatMap((folder) => [folder, ...borrowedObjects(folder, depth + 1)]);
}
