import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { resolveReadPathEntry } from '../../domain/config/hidden-paths.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { readLargestFileInIndex } from '../../git/cells/require-work-in-bounds.ts';
import { quarantineVariables } from '../../git/objects/git-access.ts';
import { isSameOrBelowFolder, realPathOrSame } from '../../util/real-and-private-paths.ts';
import { collectDependencyVariables, listDependencyOverlays } from '../dependencies/worktree-dependencies.ts';
import type { RunFolder } from '../run-folder.ts';
import type { RunnerContext, VisibleWorkTreePaths } from '../runner-context.ts';
import type { CellProfile } from './bwrap-profile.ts';
import { buildCellProfile, type CellPlace } from './cell-layout.ts';
import { nothingHiddenInWorkTree } from './hidden-files.ts';
import { findMachinePathsOfCells } from './machine-paths.ts';
import { pathExists } from './tool-paths.ts';

export interface CellRequest {
  readonly folder: RunFolder;
  readonly place: CellPlace;
  readonly isReadOnly: boolean;
  readonly isInteractive: boolean;
  /** See FilterOptions; absent: no. */
  readonly mayTrace?: boolean;
  readonly programs: readonly string[];
  /** See findVisibleWorkTreePaths; absent where no agent is in it. */
  readonly workTree?: VisibleWorkTreePaths;
  readonly shown?: readonly string[];
  /** See CellProfile; absent: nothing. */
  readonly emptied?: readonly string[];
  readonly mounts: CellProfile['mounts'];
  /** Paths it may write beside its own folders; absent: none. */
  readonly writable?: readonly string[];
  readonly doors?: CellProfile['doors'];
  readonly env: Readonly<Record<string, string>>;
  readonly author: { readonly name: string; readonly email: string };
  /** The setting that puts the agent's git hooks in force; see writeGitHooks. */
  readonly hooksConfig?: string | null;
  /** Shown instead of the repository's configuration, see RunnerContext. */
  readonly gitConfig?: string;
}

/** The profile of one cell, git's variables added to its environment, and what its worktree has of dependencies. */
export function prepareCellProfile(context: RunnerContext, request: CellRequest): CellProfile {
  const taker = { commonDir: context.repository.commonDir, worktree: request.place.path };
  const own = collectDependencyVariables(taker);
  const { PYTHONUSERBASE: python } = own;
  const path = [...(python === undefined ? [] : [join(python, 'bin')]), request.env.PATH].join(':');
  const env = {
    ...toolchainEnvironment(context),
    ...request.env,
    ...own,
    ...(request.env.PATH === undefined ? {} : { PATH: path }),
    ...gitCellEnvironment(request.place.quarantine, request.author, request.hooksConfig ?? null),
  };
  const profile = buildCellProfile({
    place: request.place,
    isReadOnly: request.isReadOnly,
    isInteractive: request.isInteractive,
    mayTrace: request.mayTrace ?? false,
    folder: request.folder,
    sight: findMachinePathsOfCells({
      repository: context.repository,
      personHome: realPathOrSame(context.env.HOME || '/'),
      searchFolders: context.searchFolders,
      programs: request.programs,
      workTree: request.workTree ?? nothingHiddenInWorkTree,
      shown: [...(request.shown ?? []), ...configuredPaths(context), ...toolchainFolders(context)],
      siblings: request.place.quarantine === null ? null : dirname(request.place.path),
    }),
    emptied: request.emptied ?? [],
    mounts: [...request.mounts, ...quietConfig(context, request)],
    overlays: listDependencyOverlays(taker),
    upwards: packagesAbove(context, request),
    writable: [...(request.writable ?? []), ...Object.values(own)],
    doors: request.doors ?? { sockets: [], ports: [] },
    env,
  });
  return { ...profile, env: withoutUnseen(profile), largestFileMb: largestTracked(context, request.place) };
}

/** Read before anything runs there. */
function largestTracked({ repository }: RunnerContext, { quarantine }: CellPlace): number {
  const index = join(quarantine?.worktreeGitDir ?? '', 'index');
  const isFile = quarantine !== null && lstatSync(index, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? readLargestFileInIndex(readFileSync(index), repository.objectFormat) / 1024 ** 2 : 0;
}

/**
 * node looks for packages in the folders above a file: a worktree outside the person's work tree finds those of it as
 * one inside does.
 */
function packagesAbove(
  { repository: { mainWorkTree } }: RunnerContext,
  { place, workTree }: CellRequest,
): CellProfile['links'] {
  if (mainWorkTree === null || isSameOrBelowFolder(place.path, mainWorkTree)) return [];
  const target = join(mainWorkTree, 'node_modules');
  const path = join(dirname(place.path), 'node_modules');
  return workTree?.kept.includes(target) === true ? [{ path, target }] : [];
}

/** Folders of toolchains that the cell doesn't show say nothing but what a person's home holds. */
function withoutUnseen({ env, system, hidden, readOnly, shownAgain }: CellProfile): CellProfile['env'] {
  const isHidden = (path: string): boolean => hidden.some((place) => isSameOrBelowFolder(path, place));
  const isSeen = (path: string): boolean =>
    (!isHidden(path) && system.some((place) => isSameOrBelowFolder(path, place.path))) ||
    [...readOnly, ...shownAgain].some((place) => isSameOrBelowFolder(path, place) || isSameOrBelowFolder(place, path));
  const isKept = ([name, value]: readonly [string, string]): boolean =>
    !toolchainVariables.includes(name) || !value.startsWith('/') || isSeen(realPathOrSame(value));
  return Object.fromEntries(Object.entries(env).filter(isKept));
}

/** Lists the paths that the configuration shows beside those programs need. Throws a FlameError `bad-read-path`. */
function configuredPaths({ config, env }: RunnerContext): readonly string[] {
  return config.sandbox.read_paths.map((path) => resolveReadPathEntry(path, env.HOME || '/').path);
}

/**
 * Toolchains that variables name and that are there by what lies in them, rustup's alone in a home: what else of a home
 * is shown follows from PATH. A variable that leads elsewhere shows nothing, nor does one to a folder around a home or
 * the repository.
 */
function toolchainFolders({ env, repository: { commonDir, mainWorkTree } }: RunnerContext): readonly string[] {
  const homes = [env.HOME ?? '/nonexistent', '/root', '/home'].map(realPathOrSame);
  const own = [...homes, ...[commonDir, mainWorkTree ?? commonDir].map(realPathOrSame)];
  return Object.entries(toolchains).flatMap(([name, { holds, parts }]) => {
    const value = env[name] ?? '';
    const path = realPathOrSame(value);
    if (!value.startsWith('/') || own.some((place) => isSameOrBelowFolder(place, path))) return [];
    const isOfHome = homes.some((home) => isSameOrBelowFolder(path, home));
    const isThisOne = holds.every((entry) => pathExists(join(path, entry)));
    if (!isThisOne || (isOfHome && name !== 'RUSTUP_HOME')) return [];
    return parts?.map((part) => join(value, part)) ?? [value];
  });
}

function quietConfig({ repository }: RunnerContext, { folder, gitConfig }: CellRequest): CellProfile['mounts'] {
  const target = join(repository.commonDir, 'config');
  if (gitConfig === undefined || !pathExists(target)) return [];
  const source = join(folder.control, 'repository.config');
  writeFileSync(source, gitConfig, { mode: 0o600 });
  return [{ source, target: realPathOrSame(target) }];
}

/** The content of each tool's folder, and the parts shown of those that also hold credentials or projects. */
const toolchains: Readonly<Record<string, { readonly holds: readonly string[]; readonly parts?: readonly string[] }>> =
  {
    CARGO_HOME: { holds: [], parts: ['bin', 'registry', 'git'] },
    RUSTUP_HOME: { holds: ['toolchains', 'settings.toml', 'update-hashes'] },
    GOROOT: { holds: ['bin/go'] },
    GOPATH: { holds: [], parts: ['bin', 'pkg'] },
    GOMODCACHE: { holds: ['cache/download'] },
    JAVA_HOME: { holds: ['bin/java'] },
    NVM_DIR: { holds: ['nvm.sh'] },
    VOLTA_HOME: { holds: ['bin', 'tools'] },
    PYENV_ROOT: { holds: ['versions'] },
    RBENV_ROOT: { holds: ['versions'] },
    ASDF_DIR: { holds: ['bin/asdf'] },
    ASDF_DATA_DIR: { holds: ['installs'] },
    MISE_DATA_DIR: { holds: ['installs'] },
  };

// Where toolchains keep what they need offline, and in which words and time programs speak; no credentials.
const toolchainVariables = [...Object.keys(toolchains), 'LANG', 'LC_ALL', 'TZ'];

/** The environment of commands that are no agents: diagnostics, setup. */
export function commandEnvironment(context: RunnerContext, folder: RunFolder): Record<string, string> {
  return {
    LANG: 'C.UTF-8',
    ...toolchainEnvironment(context),
    PATH: context.searchFolders.join(':'),
    HOME: folder.home,
    TMPDIR: folder.tmp,
    CI: 'true',
  };
}

function toolchainEnvironment({ env, searchFolders }: RunnerContext): Record<string, string> {
  const kept = toolchainVariables.flatMap((name): [string, string][] => {
    const value = env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...rustupHome(searchFolders), ...Object.fromEntries(kept) };
}

/** rustup's programs in PATH look for their toolchains in HOME, which is another one in a cell. */
function rustupHome(searchFolders: readonly string[]): Record<string, string> {
  const homes = searchFolders
    .filter((folder) => folder.endsWith('/.cargo/bin'))
    .map((folder) => join(dirname(dirname(folder)), '.rustup'));
  const found = homes.find(pathExists);
  return found === undefined ? {} : { RUSTUP_HOME: found };
}

// The person's own settings don't reach a cell: no signing key is there, and nothing may run in the background.
const cellConfig: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['core.fsmonitor', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
];

/**
 * git's variables inside a cell: objects go to the quarantine, commits carry the given author, and `hooksConfig`
 * holds in the cell's own repository.
 */
function gitCellEnvironment(
  quarantine: Quarantine | null,
  author: { readonly name: string; readonly email: string },
  hooksConfig: string | null = null,
): Record<string, string> {
  const hooks = quarantine === null || hooksConfig === null ? [] : [includeHooks(quarantine, hooksConfig)];
  const all = [...cellConfig, ...hooks];
  const config = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...(quarantine === null ? {} : quarantineVariables(quarantine)),
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(config),
    GIT_TERMINAL_PROMPT: '0',
    GIT_EDITOR: ':',
    GIT_PAGER: 'cat',
  };
}

// Not core.hooksPath itself: it would hold in every repository that a project's own tests make.
function includeHooks({ worktreeGitDir }: Quarantine, file: string): readonly [string, string] {
  // A glob; the name of a setting can't contain a newline.
  const pattern = worktreeGitDir.replace(/[\\*?[\]]/g, '\\$&').replaceAll('\n', '?');
  return [`includeIf.gitdir:${pattern}.path`, file];
}
