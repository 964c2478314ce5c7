import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import type { Repository } from '../../domain/ports/git-port.ts';
import { isBelow } from '../../util/is-below.ts';
import type { RunFolder } from '../run-folder.ts';
import type { WorkTreeView } from '../runner-context.ts';
import type { CellProfile } from './bwrap-profile.ts';
import { listKernelEntries } from './kernel-entries.ts';
import { linkedTools } from './linked-tools.ts';
import { listPrivateSystemPaths, listSystemPaths, type SystemPath } from './system-paths.ts';
import { isThere, packagePaths, realPath, toolchainPaths } from './tool-paths.ts';
import { listSocketPaths } from './unix-sockets.ts';
import { listBesidePrograms, listForeignToGit } from './unneeded-paths.ts';

/** Where a cell works: a git worktree with its quarantine, or a plain folder. */
export interface CellPlace {
  readonly path: string;
  readonly quarantine: Quarantine | null;
}

interface CellLayoutRequest {
  readonly place: CellPlace;
  readonly isReadOnly: boolean;
  readonly folder: RunFolder;
  readonly repository: Repository;
  /** The person's home; `/` where it is unknown. */
  readonly personHome: string;
  readonly searchFolders: readonly string[];
  /** Files that will be run, with the packages they belong to. */
  readonly programs: readonly string[];
  /** See viewWorkTree. */
  readonly workTree: WorkTreeView;
  /** Other files and folders it must see. */
  readonly shown: readonly string[];
  readonly mounts: CellProfile['mounts'];
  readonly doors: CellProfile['doors'];
  readonly env: Readonly<Record<string, string>>;
  readonly isInteractive: boolean;
  readonly mayTrace: boolean;
}

// Sockets, other people's files, keys: everything an agent doesn't need to work.
const alwaysHidden = ['/run', '/tmp', '/var/tmp', '/root'];

/** Looks at the machine and says what the cell shows and what can be written in it. */
export function layOutCell(request: CellLayoutRequest): CellProfile {
  const { folder, place } = request;
  const hidden = hiddenFolders(request.personHome);
  const system = listSystemPaths();
  const needed = neededPaths(request, hidden, system);
  const { covered, shownAgain } = coverWorkTree(request, needed);
  const inner = innerFolders(request);
  const shown = [...system.map(({ path }) => path), ...needed];
  const isInSight = (path: string): boolean =>
    isThere(path) && !isBelowAny(path, inner) && isShown({ hidden, shown, covered, shownAgain }, path);
  const unneeded = [
    ...listForeignToGit(request.repository.commonDir),
    ...listBesidePrograms(request.searchFolders, [request.personHome, '/root']).map(realPath),
  ].filter((path) => !request.shown.some((one) => isBelow(path, one)));
  const secret = [...listPrivateSystemPaths(), ...request.workTree.hidden, ...unneeded].filter(isInSight);
  return {
    system,
    hidden,
    readOnly: outermost(needed),
    covered,
    shownAgain,
    hiddenInside: [...inner, ...secret.filter(isFolder)],
    hiddenFiles: [...listSocketPaths().filter(isInSight), ...secret.filter((path) => !isFolder(path))],
    kernelEntries: listKernelEntries(),
    emptyFile: folder.emptyFile,
    writable: [folder.home, folder.tmp, ...(request.isReadOnly ? [] : workPlaces(place))],
    protected: [folder.control, ...(request.isReadOnly ? workPlaces(place) : protectedPlaces(place))],
    mounts: request.mounts,
    doors: request.doors,
    tempDir: folder.tmp,
    workingDirectory: place.path,
    env: request.env,
    isInteractive: request.isInteractive,
    mayTrace: request.mayTrace,
  };
}

interface Sight {
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  readonly covered: readonly string[];
  readonly shownAgain: readonly string[];
}

/** Whether a path can be seen: what is shown last counts. */
function isShown({ hidden, shown, covered, shownAgain }: Sight, path: string): boolean {
  if (isBelowAny(path, shownAgain)) return true;
  if (isBelowAny(path, covered)) return false;
  const veil = hidden.find((place) => isBelow(path, place));
  return shown.some((place) => isBelow(path, place) && (veil === undefined || isBelow(place, veil)));
}

/** Which parts of the person's work tree are shown empty, and which of those are shown all the same. */
function coverWorkTree(
  { workTree, repository }: CellLayoutRequest,
  needed: readonly string[],
): Pick<CellProfile, 'covered' | 'shownAgain'> {
  const covered = workTree.covered
    .map(realPath)
    .filter((path) => isThere(path) && !needed.includes(path) && isBelowAny(path, needed));
  // The work tree itself is needed only for what it holds.
  const whole = workTree.covered.filter((path) => path === repository.mainWorkTree);
  const all = [...new Set([...covered, ...whole])];
  const shownAgain = needed.filter((path) => !whole.includes(path) && isBelowAny(path, all));
  return { covered: all, shownAgain: outermost(shownAgain) };
}

/** Without what lies below another: that is seen there, also what links in it lead to. */
function outermost(paths: readonly string[]): string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => other !== path && isBelow(path, other)));
}

function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isBelow(path, folder));
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function hiddenFolders(personHome: string): string[] {
  const found = [...alwaysHidden, personHome].filter((path) => path !== '/' && isThere(path)).map(realPath);
  return [...new Set(found)];
}

/** What the tool keeps, and the worktrees of other agents; the cell's own parts are shown again. */
function innerFolders({ repository, place }: CellLayoutRequest): string[] {
  const { commonDir, mainWorkTree } = repository;
  const siblings = dirname(place.path);
  const holdsMore = [commonDir, mainWorkTree ?? commonDir].some((path) => isBelow(path, siblings));
  const own = join(commonDir, 'blueflame');
  return place.quarantine === null || holdsMore ? [own] : [own, siblings];
}

/** What must be seen beside the system, each path once and none of them hidden itself. */
function neededPaths(
  request: CellLayoutRequest,
  hidden: readonly string[],
  system: readonly SystemPath[],
): string[] {
  const { repository, personHome, searchFolders, workTree } = request;
  const { commonDir, mainWorkTree } = repository;
  const objects = join(commonDir, 'objects');
  // With another HOME (sudo, the container of a CI) PATH leads into the hidden one of root all the same.
  const homes = [personHome, '/root'];
  const needed = [
    commonDir,
    ...(mainWorkTree === null ? [] : [mainWorkTree]),
    ...(request.place.quarantine?.alternates ?? []),
    ...[realPath(objects), ...borrowedObjects(objects)],
    request.place.path,
    ...toolchainPaths(searchFolders, homes),
    ...request.programs.flatMap((program) => packagePaths(program, personHome)),
    ...request.shown,
    ...workTree.kept,
  ];
  const veils = hidden.filter((place) => place !== '/');
  const inSystem = (path: string): boolean =>
    !isBelowAny(path, veils) && system.some((place) => isBelow(path, place.path));
  const isSeen = (path: string): boolean => inSystem(path) || isBelowAny(path, needed);
  const tools = linkedTools(searchFolders, homes, isSeen);
  return [...new Set([...needed, ...tools])].filter(
    (path) => path !== '/' && !hidden.includes(path) && !inSystem(path) && isThere(path),
  );
}

/** Object folders of other repositories that this one reads from; gitrepository-layout(5). */
function borrowedObjects(objects: string, depth = 0): string[] {
  const file = join(objects, 'info', 'alternates');
  if (depth > 5 || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  const folders = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return folders
    .map((line) => resolve(objects, line))
    .flatMap((folder) => [folder, ...borrowedObjects(folder, depth + 1)]);
}

function workPlaces(place: CellPlace): string[] {
  if (place.quarantine === null) return [place.path];
  return [place.path, place.quarantine.worktreeGitDir, place.quarantine.objectDir];
}

// What binds the worktree to its repository, and what is no business of an agent's git.
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
    config,
    join(objectDir, 'pack'),
    join(objectDir, 'info'),
  ].filter(isThere);
}
