import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ObjectId } from '../domain/ids.ts';
import type { Quarantine } from '../domain/ports/git-cells.ts';
import type { GitCommits, GitMerging, MergeResult } from '../domain/ports/git-commits.ts';
import type { FilteredPath, GitDiffs, GitFiles } from '../domain/ports/git-contents.ts';
import type { TreeChange } from '../domain/state/patch.ts';
import { renderFileName, splitFileNames } from '../util/file-names.ts';
import { readTextOrEmpty } from '../util/read-file.ts';
import { copyVerifiedObjects } from './cells/copy-verified-objects.ts';
import { gitOnVerifiedObjects } from './cells/tool-index.ts';
import {
  readChangedFiles,
  readLatin1BlobWithoutZeros,
  readTextsInCommit,
  readTreeChanges,
} from './diff/changed-files.ts';
import { pairCommits, readDiffStat, readDiffText, readFileStats, readRenames } from './diff/diff-commits.ts';
import { readCheckedPatch } from './diff/read-patch.ts';
import {
  exportCommit,
  findPathsInCommit,
  listFiles,
  searchCommit,
  selectSubmodulePaths,
} from './objects/commit-files.ts';
import { isCommitSigningOn, writeSignedCommit, writeUnsignedCommit } from './objects/commit-tree.ts';
import {
  type GitAccess,
  gitInPersonWorkTree,
  gitInWorkTree,
  gitOnObjects,
  withVariables,
} from './objects/git-access.ts';
import { mergeDifferenceOnto, mergeTree, replaceTexts, transplantChange } from './objects/merge-tree.ts';
import { type ObjectSource, openVerifiedObjects } from './objects/object-source.ts';
import { openCommitGraph, readCommit, readCommitsBetween } from './objects/read-commits.ts';
import { resolveDotGitOfFolder } from './process/discover-repository.ts';
import { readGitSettings } from './process/git-settings.ts';
import { findIgnoreRules, readGitAttribute } from './process/ignore-rules.ts';
import { type GitContext, runGit, runGitForText } from './process/run-git.ts';
import { resolveCommit } from './refs/resolve-commit.ts';
import { listFilteredFiles } from './worktrees/filtered-and-untracked.ts';

// Several steps in a row compare the same few pairs.
const mostCompared = 100;

export function openGitDiffsPort(access: GitAccess, reading: ReadObjects): GitDiffs {
  const objects = gitOnObjects(access);
  const compared = new Map<string, Promise<readonly TreeChange[]>>();
  return {
    changedFiles: async (base, tip, quarantine) => readChangedFiles(...(await reading(tip, quarantine)), base, tip),
    treeChanges: async (base, tip, quarantine) => {
      const [context] = await reading(tip, quarantine);
      const key = `${base} ${tip}`;
      const known = compared.get(key);
      if (known !== undefined) return known;
      const changes = readTreeChanges(context, base, tip);
      const [oldest = key] = compared.keys();
      if (compared.size === mostCompared) compared.delete(oldest);
      compared.set(key, changes);
      changes.catch(() => compared.delete(key));
      return changes;
    },
    renames: (base, tip) => readRenames(objects, base, tip),
    diffStat: (base, tip) => readDiffStat(objects, base, tip),
    fileStats: (base, tip) => readFileStats(objects, base, tip),
    diffText: (base, tip, options) => readDiffText(objects, base, tip, options),
    readPatch: (base, tip, view = { ignoresSpace: false }) =>
      readCheckedPatch(objects, access.objects, { base, tip }, view),
    pairCommits: (before, now) => pairCommits(objects, before, now),
  };
}

export function openGitFilesPort(access: GitAccess, reading: ReadObjects): GitFiles {
  const filtered = new Map<ObjectId, Promise<readonly FilteredPath[]>>();
  return {
    readTexts: async (commit, paths, quarantine) =>
      readTextsInCommit((await reading(commit, quarantine))[1], commit, paths),
    readBlobAsLatin1: async (blob, tip, quarantine) =>
      readLatin1BlobWithoutZeros((await reading(tip, quarantine))[1], blob),
    listFiles: (commit, limit) => listFiles(gitOnObjects(access), commit, limit),
    findPathsInCommit: (commit, paths) => findPathsInCommit(gitOnObjects(access), commit, paths),
    search: (commit, asked) => searchCommit(gitOnObjects(access), commit, asked),
    filteredPaths: (commit, paths) => {
      if (paths !== undefined) return listFilteredFiles(access, commit, paths);
      const known = filtered.get(commit) ?? listFilteredFiles(access, commit);
      filtered.set(commit, known);
      return known;
    },
    ignoredPaths: async (paths) => {
      const { mainWorkTree } = access.repository;
      return mainWorkTree === null || paths.length === 0
        ? new Map()
        : findIgnoreRules(gitInWorkTree(access, mainWorkTree), paths);
    },
    sparsePatterns: (root) => readSparsePatterns(gitInWorkTree(access, root)),
    listWorktreeIncludeFiles: (root) => includedFiles(gitInWorkTree(access, root), root),
    linkedPaths: (commit) => access.linkedPaths(commit),
    submodules: async (commit) => selectSubmodulePaths(await access.linkedPaths(commit)),
    exportCommit: (commit, folder) => exportCommit(access, commit, folder),
  };
}

/** The patterns of a person's sparse checkout, in the form of .gitignore; null: their work tree holds everything. */
async function readSparsePatterns(git: GitContext): Promise<readonly string[] | null> {
  const gitDir = resolveDotGitOfFolder(git.cwd);
  if (gitDir !== null && !existsSync(join(gitDir, 'info', 'sparse-checkout'))) return null;
  if (!(await readGitSettings(git)).isTrue('core.sparsecheckout')) return null;
  const file = await runGitForText(git, ['rev-parse', '--git-path', 'info/sparse-checkout']);
  const lines = readTextOrEmpty(resolve(join(git.cwd, '.'), file)).split('\n');
  const patterns = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return patterns.length === 0 ? null : patterns;
}

/**
 * Untracked files of a work tree that git ignores and that `.worktreeinclude` at its top names, in the form of
 * .gitignore. Other tools that make worktrees read the same file.
 */
async function includedFiles(git: GitContext, root: string): Promise<readonly string[]> {
  const file = join(root, '.worktreeinclude');
  if (!existsSync(file)) return [];
  const { stdout } = await runGit(git, ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`]);
  const named = splitFileNames(stdout);
  if (named.length === 0) return [];
  const ignored = await findIgnoreRules(git, named);
  return named.filter((path) => ignored.has(path));
}

export function openGitCommitsPort(access: GitAccess, reading: ReadObjects): GitCommits {
  return {
    ...openCommitGraph(gitOnObjects(access)),
    resolveCommit: (revision) => resolveCommit(gitInPersonWorkTree(access), revision, access.objects),
    readCommit: async (commit, quarantine) => readCommit(...(await reading(commit, quarantine)), commit),
    commitsBetween: async (base, tip, quarantine) => readCommitsBetween(...(await reading(tip, quarantine)), base, tip),
  };
}

export function openGitMergingPort(access: GitAccess): GitMerging {
  const here = gitInPersonWorkTree(access);
  // Asked once, as whose name it is.
  let asked: Promise<boolean> | undefined;
  const signs = (): Promise<boolean> => (asked ??= isCommitSigningOn(here));
  const merging = async (merge: (context: GitContext) => Promise<MergeResult>): Promise<MergeResult> => {
    const inert = await access.inertDrivers();
    return withUnrunDrivers(here, inert, await merge(withVariables(here, inert)));
  };
  return {
    // In the person's work tree, for the merge attributes checked out there, such as union for a changelog.
    mergeTree: (ours, theirs) => merging((context) => mergeTree(context, ours, theirs)),
    mergeDrivers: async () => mergeDrivers(await access.inertDrivers()),
    mergeDifferenceOnto: (onto, start, tip) =>
      merging((context) => mergeDifferenceOnto(access, context, { onto, start, tip })),
    transplantChange: async (onto, start, tip) =>
      transplantChange(access, withVariables(here, await access.inertDrivers()), { onto, start, tip }),
    replaceTexts: (commit, texts) => replaceTexts(access, commit, texts),
    writeUnsignedCommit: (init) => writeUnsignedCommit(access, here, init),
    writeSignedCommit: async (init) =>
      (await signs()) ? writeSignedCommit(access, here, init) : writeUnsignedCommit(access, here, init),
  };
}

/** The merge drivers among the keys of buildInertDriverVariables. */
function mergeDrivers(inert: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(inert).flatMap(([name, key]) => {
    const [, driver] = (name.startsWith('GIT_CONFIG_KEY_') && /^merge\.(.+)\.driver$/.exec(key)) || [];
    return driver === undefined ? [] : [driver];
  });
}

/** A conflict that also names the files for which `git merge` would have run a driver of the person's configuration. */
async function withUnrunDrivers(
  context: GitContext,
  inert: Readonly<Record<string, string>>,
  result: MergeResult,
): Promise<MergeResult> {
  const drivers = mergeDrivers(inert);
  if (result.kind === 'clean' || drivers.length === 0) return result;
  const values = await readGitAttribute(context, 'merge', { paths: result.paths });
  const unrun = result.paths.flatMap((path, index) => {
    const driver = values[index] ?? '';
    if (!drivers.includes(driver)) return [];
    return [
      `${renderFileName(path)}: git merge would use your merge driver ${driver}, but drivers never run on agents' work.`,
    ];
  });
  return { ...result, messages: [...result.messages, ...unrun] };
}

/** Opens a commit for reading: git, and its objects one by one. Throws the FlameErrors of copyVerifiedObjects. */
type ReadObjects = (tip: ObjectId, quarantine?: Quarantine) => Promise<[GitContext, ObjectSource]>;

/** Objects of a quarantine are read after they were verified, from where the agent can't change them. */
export function readerOfVerifiedObjects(access: GitAccess): ReadObjects {
  const objects = gitOnObjects(access);
  return async (tip, quarantine) => {
    if (quarantine === undefined) return [objects, access.objects];
    const intake = await copyVerifiedObjects(access, quarantine, tip);
    return [gitOnVerifiedObjects(access, intake), openVerifiedObjects(access, intake)];
  };
}
