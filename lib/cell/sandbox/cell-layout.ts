import { closeSync, lstatSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { agentCommonFolderName } from '../../git/cells/agent-refs.ts';
import { listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
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
  const again = needed.filter((path) => isBelowAny(path, covered));
  const shownAgain = outermost(again.filter((path) => !isLink(path)));
  return {
    ...given,
    system: sight.system,
    hidden: sight.hidden,
    readOnly: outermost(needed),
    covered,
    shownAgain,
    hiddenInside: sight.hiddenInside,
    // One that was made a moment ago is covered too.
    hiddenFiles: [...parseSocketTable(readTextOrEmpty('/proc/net/unix')).filter(sight.isInSight), ...sight.hiddenFiles],
    kernelEntries: sight.kernelEntries,
    emptyFile: () => folder.emptyFile(),
    writable: [folder.home, folder.tmp, ...writable, ...(isReadOnly ? [] : workPlaces(place))],
    protected: [folder.control, ...(isReadOnly ? workPlaces(place) : protectedPlaces(place))],
    links: [
      ...upwards.filter(({ path }) => sight.hiddenInside.includes(dirname(path))),
      ...again.filter(isLink).map((path) => ({ path, target: realPathOrSame(path) })),
      ...(place.quarantine === null ? [] : covered.flatMap((path) => linksTo(place.path, path, again))),
    ],
    tempDir: folder.tmp,
    workingDirectory: place.path,
  };
}

/**
 * Puts links to the worktree's files where the person has their own: what was installed to load those (`pip install -e`,
 * a workspace's packages in node_modules) loads the agent's.
 */
function linksTo(target: string, path: string, shown: readonly string[]): CellProfile['links'] {
  const names = listNamesIn(target).filter((name) => name !== '.git' && !isBelowAny(join(path, name), shown));
  return names.flatMap((name) => {
    const [from, to] = [join(path, name), join(target, name)];
    const holdsMore = shown.some((one) => isSameOrBelowFolder(one, from));
    return holdsMore ? linksTo(to, from, shown) : [{ path: from, target: to }];
  });
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
