import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ObjectId } from '../domain/ids.ts';
import type { FilteredPath, GitDiffs, GitFiles } from '../domain/ports/git-contents.ts';
import type { TreeChange } from '../domain/state/patch.ts';
import { splitNames } from '../util/file-names.ts';
import { readTextOrEmpty } from '../util/read-file.ts';
import { readChangedFiles, readTreeChanges } from './diff/changed-files.ts';
import { readDiffStat, readDiffText, readFileStats, readRenames } from './diff/diff-commits.ts';
import { pairCommits } from './diff/pair-commits.ts';
import { readPatch } from './diff/read-patch.ts';
import { readContent, readTexts } from './diff/read-texts.ts';
import { exportCommit } from './objects/export-commit.ts';
import { type GitAccess, inWorkTree, onObjects } from './objects/git-access.ts';
import { submodulesOf } from './objects/list-detours.ts';
import { listFiles, pathsIn } from './objects/list-files.ts';
import { searchCommit } from './objects/search-commit.ts';
import { ignoreRules } from './process/ignore-rules.ts';
import { type GitContext, gitText, runGit } from './process/run-git.ts';
import { readSettings } from './process/settings.ts';
import type { ReadObjects } from './read-objects.ts';
import { listFiltered } from './worktrees/filtered-paths.ts';

// Several steps in a row compare the same few pairs.
const mostCompared = 100;

export function openDiffs(access: GitAccess, reading: ReadObjects): GitDiffs {
  const objects = onObjects(access);
  const compared = new Map<string, Promise<readonly TreeChange[]>>();
  return {
    changedFiles: async (base, tip, quarantine) =>
      readChangedFiles(...(await reading(tip, quarantine)), base, tip),
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
      readPatch(objects, access.objects, { base, tip }, view),
    pairCommits: (before, now) => pairCommits(objects, before, now),
  };
}

export function openFiles(access: GitAccess, reading: ReadObjects): GitFiles {
  const filtered = new Map<ObjectId, Promise<readonly FilteredPath[]>>();
  return {
    readTexts: async (commit, paths, quarantine) =>
      readTexts((await reading(commit, quarantine))[1], commit, paths),
    readContent: async (blob, tip, quarantine) => readContent((await reading(tip, quarantine))[1], blob),
    listFiles: (commit, limit) => listFiles(onObjects(access), commit, limit),
    pathsIn: (commit, paths) => pathsIn(onObjects(access), commit, paths),
    search: (commit, asked) => searchCommit(onObjects(access), commit, asked),
    filteredPaths: (commit, paths) => {
      if (paths !== undefined) return listFiltered(access, commit, paths);
      const known = filtered.get(commit) ?? listFiltered(access, commit);
      filtered.set(commit, known);
      return known;
    },
    ignoredPaths: async (paths) => {
      const { mainWorkTree } = access.repository;
      return mainWorkTree === null || paths.length === 0
        ? new Map()
        : ignoreRules(inWorkTree(access, mainWorkTree), paths);
    },
    sparsePatterns: (root) => readSparsePatterns(inWorkTree(access, root)),
    includedFiles: (root) => includedFiles(inWorkTree(access, root), root),
    detours: (commit) => access.detours(commit),
    submodules: async (commit) => submodulesOf(await access.detours(commit)),
    exportCommit: (commit, folder) => exportCommit(access, commit, folder),
  };
}

/** The patterns of a person's sparse checkout, in the form of .gitignore; null: their work tree holds everything. */
async function readSparsePatterns(git: GitContext): Promise<readonly string[] | null> {
  if (!(await readSettings(git)).isTrue('core.sparsecheckout')) return null;
  const file = await gitText(git, ['rev-parse', '--git-path', 'info/sparse-checkout']);
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
  const named = splitNames(stdout);
  if (named.length === 0) return [];
  const ignored = await ignoreRules(git, named);
  return named.filter((path) => ignored.has(path));
}
