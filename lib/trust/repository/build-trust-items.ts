import { hash } from 'node:crypto';
import { accessSync, constants, lstatSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { LoadedConfig } from '../../config/load-config.ts';
import { locateInYaml } from '../../config/locate-value.ts';
import { readYamlSource, type ValuePath } from '../../config/yaml-source.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { TrustItem } from '../../domain/state/repository-trust.ts';
import { resolveDotGitOfFolder } from '../../git/process/discover-repository.ts';
import { isFolder, listNamesIn } from '../../util/read-file.ts';
import {
  folderShowsKeyPath,
  isKeyOrPasswordPath,
  isSameOrBelowFolder,
  realPathEvenIfMissing,
} from '../../util/real-and-private-paths.ts';
import { compareText } from '../../util/sort-and-group.ts';
import type { CommandFilePlaces } from './files-of-command.ts';
import {
  type FileReadOnce,
  readFileOnce,
  renderFileText,
  renderLinkTarget,
  renderPathInRepository,
  renderPathOfReadFile,
} from './read-file-once.ts';

/** Folders that hold the files and programs named by settings. */
export interface ContentPlaces extends FolderPlaces {
  /** PATH. */
  readonly searchPath: string;
}

/** The same, with the line of the configuration that each setting is on. */
export type TrustItemPlaces = ContentPlaces & {
  readonly lineOf: (keys: ValuePath) => string;
} & CommandFilePlaces;

/** A template that replaces one of ours. */
export function buildTemplateItem(file: FileReadOnce, place: TrustItemPlaces): TrustItem {
  return { ...describeReadFile(file, place), kind: 'template', effect: 'runs as you, as code, when a prompt is made' };
}

/** A file that a command or a setting names. */
export function buildFileItem(
  file: FileReadOnce,
  { place, namedBy }: { readonly place: TrustItemPlaces; readonly namedBy: string },
): TrustItem {
  const isAll = file.path === place.root;
  const effect = isAll ? `may be run by ${namedBy}, whose text does not show what it runs` : `is named by ${namedBy}`;
  return { ...describeReadFile(file, place), kind: 'file', effect };
}

function describeReadFile(file: FileReadOnce, { root }: TrustItemPlaces): Omit<TrustItem, 'kind' | 'effect'> {
  const where = renderPathOfReadFile(file, root);
  return {
    where,
    source: where,
    words: renderFileText(file),
    sha256: file.sha256,
    realPath: renderLinkTarget(file, root),
  };
}

/** A value of the configuration; a list is shown one entry a line, and compared as the list it is. */
export function buildSettingItem(
  place: TrustItemPlaces,
  {
    keys,
    value,
    effect,
  }: { readonly keys: ValuePath; readonly value: string | readonly string[]; readonly effect: string },
): TrustItem {
  const isHook = keys[0] === 'hooks';
  return {
    kind: isHook || keys[0] === 'adapters' ? 'command' : 'setting',
    where: keys.map(String).join('.'),
    source: place.lineOf(keys),
    effect,
    words: typeof value === 'string' ? value : value.map((entry) => JSON.stringify(entry)).join('\n'),
    sha256: hash('sha256', JSON.stringify(value)),
    realPath: null,
  };
}

/** `.blueflame.yml:12`; a file that lies outside the repository behind a link is named as what it is. */
export function createConfigLineFinder({ file, text }: LoadedConfig, root: string): (keys: ValuePath) => string {
  if (file === null || text === null) return () => 'built in';
  const source = readYamlSource(text, file);
  const real = realPathEvenIfMissing(file);
  const isElsewhere = isSameOrBelowFolder(file, root) && !isSameOrBelowFolder(real, realPathEvenIfMissing(root));
  const name = isElsewhere
    ? `${renderPathInRepository(file, root)} (a link to ${real})`
    : renderPathInRepository(file, root);
  return (keys) => {
    const { start } = locateInYaml(source, keys, 'key');
    return `${name}:${source.text.slice(0, start).split('\n').length}`;
  };
}

const mostFiles = 200;
const deepest = 8;
const includes = /\binclude\s*\(\s*(["'`])((?:(?!\1).)+)\1/g;

/**
 * The repository's own templates, read, and every file they name in an `include`; none where no template is there.
 * Throws a FlameError `templates-too-many`.
 */
export function readTemplates(folder: string): readonly FileReadOnce[] {
  const found = new Map<string, FileReadOnce>();
  const waiting = listTemplates(folder, folder, 0);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const file = readFileOnce(path);
    if (file === null) continue;
    if (file.bytes === null) throw tooMany(folder);
    found.set(path, file);
    if (found.size > mostFiles) throw tooMany(folder);
    waiting.push(...includedBy(file));
  }
  return [...found.values()].sort((a, b) => compareText(a.path, b.path));
}

function listTemplates(folder: string, top: string, depth: number): string[] {
  if (depth > deepest) throw tooMany(top);
  return listNamesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (isFolder(path)) return listTemplates(path, top, depth + 1);
    return name.endsWith('.ejs') ? [path] : [];
  });
}

function includedBy({ path, bytes }: FileReadOnce): string[] {
  return [...(bytes?.toString() ?? '').matchAll(includes)].map(([, , name = '']) => {
    const file = name.startsWith('/') ? resolve(name) : resolve(dirname(path), name);
    return extname(name) === '' ? `${file}.ejs` : file;
  });
}

function tooMany(folder: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'templates-too-many',
    message: `${folder} holds or includes more than ${mostFiles} templates, one of many megabytes, or is nested too deeply.`,
    hints: [`ls -R ${folder}`],
  });
}

interface FolderPlaces {
  /** The main work tree. */
  readonly root: string;
  readonly commonDir: string;
  /** The person's home; `/` where it is unknown. */
  readonly home: string;
  /** See userDataDir. */
  readonly dataDir: string;
}

/**
 * Default folder for agents' worktrees: beside the repository, on its disk and outside the tree that its own tools
 * walk. If that folder can't be made, belongs to another user, or lies in the work tree of another repository, as a
 * submodule's does: in the user's own data.
 */
export function chooseDefaultWorktreeDir({
  root,
  commonDir,
  dataDir,
}: Pick<FolderPlaces, 'root' | 'commonDir' | 'dataDir'>): string {
  const common = realPathEvenIfMissing(commonDir);
  // A bare repository has the same folder from each of its worktrees.
  const owner = isLinked(root, common) ? common : realPathEvenIfMissing(root);
  const name = owner === common ? basename(common).replace(/^\.|(?<=.)\.git$/g, '') : basename(owner);
  const beside = join(dirname(owner), `${name}.trees`);
  if (isFree(beside) && !isInWorkTree(dirname(owner), common)) return beside;
  const digest = hash('sha256', common).slice(0, 12);
  return join(realPathEvenIfMissing(dataDir), 'trees', `${name}-${digest}`);
}

/** Whether a work tree's repository lies elsewhere and lists it. */
function isLinked(root: string, commonDir: string): boolean {
  return isSameOrBelowFolder(resolveDotGitOfFolder(root) ?? '/', join(commonDir, 'worktrees'));
}

/** Whether this user can have a folder there: one that is there is theirs, and no link. */
function isFree(folder: string): boolean {
  const facts = lstatSync(folder, { throwIfNoEntry: false });
  const isOwn = facts === undefined || (facts.isDirectory() && facts.uid === process.geteuid?.());
  try {
    accessSync(facts === undefined ? dirname(folder) : folder, constants.W_OK | constants.X_OK);
    return isOwn;
  } catch {
    return false;
  }
}

/** Whether a folder is, or lies in, the work tree of a repository other than the one at `commonDir`. */
function isInWorkTree(folder: string, commonDir: string): boolean {
  const gitDir = resolveDotGitOfFolder(folder);
  if (gitDir !== null && gitDir !== commonDir) return true;
  return dirname(folder) !== folder && isInWorkTree(dirname(folder), commonDir);
}

/**
 * Real path of the agents' worktrees; null: in the repository. Throws a FlameError `bad-worktree-dir` for the root
 * folder, a home or a folder above it, places of keys, and git's own folders.
 */
export function resolveOutsideWorktreeDir(worktreeDir: string, { root, commonDir, home }: FolderPlaces): string | null {
  const real = realPathEvenIfMissing(resolve(root, worktreeDir));
  const isGits = isSameOrBelowFolder(real, realPathEvenIfMissing(commonDir)) || real.split('/').includes('.git');
  if (
    isGits ||
    real === realPathEvenIfMissing(root) ||
    isSameOrBelowFolder(realPathEvenIfMissing(home), real) ||
    isKeyOrPasswordPath(real, realPathEvenIfMissing(home))
  )
    throw badWorktreeDir(worktreeDir, real);
  return isSameOrBelowFolder(real, realPathEvenIfMissing(root)) ? null : real;
}

/**
 * Real path of a configured plugin. Throws a FlameError `bad-plugin-dir` for a home, a folder that holds places of
 * keys, and one that the repository lies in: a plugin is shown to agents as a whole.
 */
export function resolvePluginFolder(pluginDir: string, { root, home }: FolderPlaces): string {
  const real = realPathEvenIfMissing(resolve(root, pluginDir));
  const holdsRepository = isSameOrBelowFolder(realPathEvenIfMissing(root), real);
  if (holdsRepository || folderShowsKeyPath(real, realPathEvenIfMissing(home))) throw badPluginDir(pluginDir, real);
  return real;
}

function badWorktreeDir(written: string, real: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'bad-worktree-dir',
    message: `project.worktree_dir ${written} can't hold worktrees: ${real} is the repository itself, a home, or a place of keys or of git.`,
    hints: ['Set another in .blueflame.yml: project: { worktree_dir: ../trees }'],
    data: { worktree_dir: written, real },
  });
}

function badPluginDir(written: string, real: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'bad-plugin-dir',
    message: `superpowers.plugin_dir ${written} can't be shown to agents: ${real} is a home, holds keys, or holds this repository.`,
    hints: ['Name the folder of the plugin in .blueflame.yml: superpowers: { plugin_dir: <folder> }'],
    data: { plugin_dir: written, real },
  });
}
