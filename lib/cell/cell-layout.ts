import { closeSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Quarantine, Repository } from '../domain/git-port.ts';
import { isBelow } from '../util/is-below.ts';
import type { CellProfile } from './bwrap-profile.ts';
import { listKernelEntries } from './kernel-entries.ts';
import type { RunFolder } from './run-folder.ts';
import { isThere, packagePaths, realPath, toolchainPaths } from './tool-paths.ts';
import { listSocketPaths } from './unix-sockets.ts';

/** Where a cell works: a git worktree with its quarantine, or a plain folder. */
export interface CellPlace {
  readonly path: string;
  readonly quarantine: Quarantine | null;
}

export interface CellLayoutRequest {
  readonly place: CellPlace;
  readonly isReadOnly: boolean;
  readonly folder: RunFolder;
  readonly repository: Repository;
  /** The person's home; `/` where it is unknown. */
  readonly personHome: string;
  readonly searchFolders: readonly string[];
  /** Files that will be run, with the packages they belong to. */
  readonly programs: readonly string[];
  /** See findPrivatePaths. */
  readonly privatePaths: readonly string[];
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
  const isBelowAny = (path: string, folders: readonly string[]): boolean =>
    folders.some((place) => isBelow(path, place));
  const readOnly = neededPaths(request).filter(
    (path) => isBelowAny(path, hidden) && !hidden.includes(path) && isThere(path),
  );
  const inner = innerFolders(request);
  const isInSight = (path: string): boolean =>
    isThere(path) && !isBelowAny(path, inner) && (isBelowAny(path, readOnly) || !isBelowAny(path, hidden));
  const secret = request.privatePaths.map(realPath).filter(isInSight);
  return {
    hidden,
    readOnly,
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

function neededPaths(request: CellLayoutRequest): string[] {
  const { repository, personHome } = request;
  return [
    repository.commonDir,
    ...(repository.mainWorkTree === null ? [] : [repository.mainWorkTree]),
    ...(request.place.quarantine?.alternates ?? []),
    request.place.path,
    // With another HOME (sudo, the container of a CI) PATH leads into the hidden one of root all the same.
    ...toolchainPaths(request.searchFolders, [personHome, '/root']),
    ...request.programs.flatMap((program) => packagePaths(program, personHome)),
    ...request.shown,
  ];
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
