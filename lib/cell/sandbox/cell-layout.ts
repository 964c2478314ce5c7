import { closeSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import type { Repository } from '../../domain/ports/git-port.ts';
import { agentCommonFolderName } from '../../git/cells/agent-refs.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { isSameOrBelowFolder } from '../../util/real-and-private-paths.ts';
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
  readonly repository: Repository;
  readonly sight: MachinePaths;
  /** See CellProfile.links. */
  readonly upwards: CellProfile['links'];
  /** Beside its own folders. */
  readonly writable: readonly string[];
}

/** Says what the cell shows of the machine and of its own place, and what can be written in it. */
export function buildCellProfile(request: CellLayoutRequest): CellProfile {
  const { folder, place, sight, repository, isReadOnly, upwards, writable, ...given } = request;
  const own = [...(place.quarantine?.alternates ?? []), place.path].filter((path) => needsOwnMount(sight, path));
  const needed = [...new Set([...sight.needed, ...own])];
  const covered = sight.covered.filter((path) => !own.includes(path) && pathExists(path));
  const isWhole = (path: string): boolean => path === repository.mainWorkTree;
  return {
    ...given,
    system: sight.system,
    hidden: sight.hidden,
    readOnly: outermost(needed),
    covered,
    shownAgain: outermost(needed.filter((path) => !isWhole(path) && isBelowAny(path, covered))),
    hiddenInside: sight.hiddenInside,
    // One that was made a moment ago is covered too.
    hiddenFiles: [...parseSocketTable(readTextOrEmpty('/proc/net/unix')).filter(sight.isInSight), ...sight.hiddenFiles],
    kernelEntries: sight.kernelEntries,
    emptyFile: () => folder.emptyFile(),
    writable: [folder.home, folder.tmp, ...writable, ...(isReadOnly ? [] : workPlaces(place))],
    protected: [folder.control, ...(isReadOnly ? workPlaces(place) : protectedPlaces(place))],
    links: upwards.filter(({ path }) => sight.hiddenInside.includes(dirname(path))),
    tempDir: folder.tmp,
    workingDirectory: place.path,
  };
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
