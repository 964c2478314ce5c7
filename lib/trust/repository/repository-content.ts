import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { listConfigLeaves } from '../../config/list-config-values.ts';
import { defaultConfig, type LoadedConfig } from '../../config/load-config.ts';
import type { ValuePath } from '../../config/yaml-source.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { resolveReadPathEntry } from '../../domain/config/hidden-paths.ts';
import type { TrustItem } from '../../domain/state/repository-trust.ts';
import { isSameOrBelowFolder, realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import {
  buildFileItem,
  buildSettingItem,
  buildTemplateItem,
  type ContentPlaces,
  chooseDefaultWorktreeDir,
  createConfigLineFinder,
  readTemplates,
  resolveOutsideWorktreeDir,
  resolvePluginFolder,
  type TrustItemPlaces,
} from './build-trust-items.ts';
import { readFilesOfCommand, readFilesOfWords } from './files-of-command.ts';
import { listLoosenedValues } from './loosened-values.ts';
import { type FileReadOnce, readFileOnce, readFolderOnce } from './read-file-once.ts';

/** Content of a repository's files that is run or shown, as it was read: no other bytes are used later. */
export interface RepositoryContent {
  readonly items: readonly TrustItem[];
  /** Digest of all items; changes with every byte of them. */
  readonly digest: string;
  /** Paths in it are the real ones. */
  readonly config: Config;
  /** Each hook's command, with the files it names. */
  readonly hooks: ReadonlyMap<string, readonly FileReadOnce[]>;
  /** Each adapter's command, with the files it names. */
  readonly adapters: readonly {
    readonly command: readonly string[];
    readonly files: readonly FileReadOnce[];
  }[];
  /** The plugin, where it lies in the repository: as one file for all of it. */
  readonly plugin: FileReadOnce | null;
  /** The templates that replace ours: the folder, and its texts by their path. */
  readonly templates: { readonly dir: string; readonly texts: ReadonlyMap<string, string> };
}

/** Gathers all that needs a person's word. Throws FlameErrors for folders that none may allow, see outside-folders. */
export function readRepositoryContent(loaded: LoadedConfig, places: ContentPlaces): RepositoryContent {
  const { config, file } = loaded;
  const place = { ...places, lineOf: createConfigLineFinder(loaded, places.root) };
  const hooks = readHooks(config, place);
  const adapters = readAdapters(config, place);
  const folders = readFolders(config, place);
  const dir = join(file === null ? places.root : dirname(file), '.blueflame', 'templates');
  const templates = readTemplates(dir);
  const items = [
    ...hooks.items,
    ...adapters.items,
    ...templates.map((template) => buildTemplateItem(template, place)),
    ...folders.items,
    ...readPreparation(config, place),
    ...listLoosenedValues(config).map((loosened) => buildSettingItem(place, loosened)),
    ...readSigners(config, place),
  ];
  return {
    items: onePerPlace(items),
    digest: digestOf(items),
    config: folders.config,
    hooks: hooks.commands,
    adapters: adapters.commands,
    plugin: folders.plugin,
    templates: { dir, texts: new Map(templates.map(({ path, bytes }) => [path, bytes?.toString() ?? ''])) },
  };
}

/** A file that two commands name is shown once. */
function onePerPlace(items: readonly TrustItem[]): readonly TrustItem[] {
  const places = items.map(({ kind, where }) => `${kind} ${where}`);
  return items.filter((_item, index) => places.indexOf(places[index] ?? '') === index);
}

function digestOf(items: readonly TrustItem[]): string {
  const lines = items.map(({ kind, where, sha256, realPath }) => JSON.stringify([kind, where, sha256, realPath]));
  return hash('sha256', [...new Set(lines)].sort().join('\n'));
}

function readHooks(
  { hooks }: Config,
  place: TrustItemPlaces,
): { readonly items: readonly TrustItem[]; readonly commands: RepositoryContent['hooks'] } {
  const { timeout, ...named } = hooks;
  const set = Object.entries(named).filter(([, command]) => command !== '');
  const commands = new Map(set.map(([, command]) => [command, readFilesOfCommand(command, place)]));
  const items = set.flatMap(([name, command]) => [
    buildSettingItem(place, {
      keys: ['hooks', name],
      value: command,
      effect: 'runs as you, outside any cell',
    }),
    ...(commands.get(command) ?? []).map((file) => buildFileItem(file, { place, namedBy: `hooks.${name}` })),
  ]);
  return { items, commands };
}

function readAdapters(
  { adapters }: Config,
  place: TrustItemPlaces,
): { readonly items: readonly TrustItem[]; readonly commands: RepositoryContent['adapters'] } {
  const set = Object.entries(adapters).flatMap(([name, { command }]) =>
    command === undefined ? [] : [{ name, command, files: readFilesOfWords(command, place) }],
  );
  const items = set.flatMap(({ name, command, files }) => [
    buildSettingItem(place, {
      keys: ['adapters', name, 'command'],
      value: command,
      effect: `runs as ${name} in agents' cells, which can read its program`,
    }),
    ...files.map((file) => buildFileItem(file, { place, namedBy: `adapters.${name}.command` })),
  ]);
  return { items, commands: set };
}

/** Folders outside the repository, where they really are; their real paths are what is used from now on. */
function readFolders(
  config: Config,
  place: TrustItemPlaces,
): { readonly items: readonly TrustItem[]; readonly config: Config; readonly plugin: FileReadOnce | null } {
  const { project, sandbox, superpowers } = config;
  const written = project.worktree_dir;
  const outside = written === null ? null : resolveOutsideWorktreeDir(written, place);
  const isPluginUsed = superpowers.enabled && superpowers.plugin_dir !== null;
  const plugin = isPluginUsed ? resolvePluginFolder(superpowers.plugin_dir ?? '', place) : null;
  const isOwn = plugin !== null && isSameOrBelowFolder(plugin, realPathEvenIfMissing(place.root));
  const own = isOwn ? readFolderOnce(plugin) : null;
  const readPaths = sandbox.read_paths.map((written) => ({
    written,
    ...resolveReadPathEntry(written, place.home),
  }));
  const items = [
    ...folderItems(place, {
      keys: ['project', 'worktree_dir'],
      written: written ?? '',
      real: outside,
      effect: "holds agents' worktrees, outside the repository",
    }),
    ...folderItems(place, {
      keys: ['superpowers', 'plugin_dir'],
      written: superpowers.plugin_dir ?? '',
      real: plugin,
      effect: 'can be read in full by agents, and is loaded by their CLI',
    }),
    ...(own === null ? [] : [buildFileItem(own, { place, namedBy: 'superpowers.plugin_dir' })]),
    ...readPaths.flatMap(({ written, real }, index) =>
      folderItems(place, {
        keys: ['sandbox', 'read_paths', index],
        written,
        real,
        effect: 'can be read in full by agents',
      }),
    ),
  ];
  return {
    items,
    plugin: own,
    config: {
      ...config,
      project: { ...project, worktree_dir: outside ?? written ?? chooseDefaultWorktreeDir(place) },
      superpowers: { ...superpowers, plugin_dir: plugin },
      // Programs may name a folder of the machine by a link; what lies in the repository can be changed by a landing.
      sandbox: {
        ...sandbox,
        read_paths: readPaths.flatMap(({ path, real }) =>
          isSameOrBelowFolder(path, place.root) || path === real ? [real] : [path, real],
        ),
      },
    },
  };
}

interface FolderSetting {
  readonly keys: ValuePath;
  readonly written: string;
  /** null: nothing to ask for. */
  readonly real: string | null;
  readonly effect: string;
}

function folderItems(place: TrustItemPlaces, { keys, written, real, effect }: FolderSetting): readonly TrustItem[] {
  if (real === null) return [];
  return [
    {
      ...buildSettingItem(place, { keys, value: written, effect }),
      realPath: real === written ? null : real,
    },
  ];
}

function readPreparation({ project }: Config, place: TrustItemPlaces): readonly TrustItem[] {
  const effects = {
    setup: 'runs in a cell, in each new worktree',
    teardown: 'runs in a cell, before a worktree is removed',
    copy: "is copied from your work tree into agents' worktrees",
    link: "is linked from your work tree into agents' worktrees",
  };
  const settings = (['setup', 'teardown', 'copy', 'link'] as const)
    .filter((name) => project[name].length > 0)
    .map((name) => buildSettingItem(place, { keys: ['project', name], value: project[name], effect: effects[name] }));
  const included = readFileOnce(join(place.root, '.worktreeinclude'));
  if (included === null) return settings;
  const item = buildFileItem(included, { place, namedBy: '.worktreeinclude' });
  return [...settings, { ...item, effect: "names ignored files that are copied into agents' worktrees" }];
}

/** Signers whose decisions count as the person's. */
function readSigners(config: Config, place: TrustItemPlaces): readonly TrustItem[] {
  const builtIn = new Map(listConfigLeaves(defaultConfig()).map(({ path, value }) => [path, value]));
  return listConfigLeaves(config)
    .filter(({ keys, path, value }) => keys[0] === 'trust' && builtIn.get(path) !== value)
    .map(({ keys, value }) => {
      const isSigning = keys[1] === 'sign';
      const effect = isSigning
        ? 'makes sync sign your decisions with your key'
        : 'names the people whose decisions count as yours';
      return buildSettingItem(place, { keys, value, effect });
    });
}
