import type { ObjectId } from '../ids.ts';
import type { DiffStat } from '../state/changeset.ts';
import type { ChangedFile, FileStat, Patch, PatchView, RenamedFile, TreeChange } from '../state/patch.ts';
import type { Quarantine } from './git-cells.ts';

/** A file, and the filter its attributes name. */
export interface FilteredPath {
  readonly path: string;
  readonly filter: string;
}

/** Commits from `start`, which is none of them, to `commit`. */
export interface CommitRange {
  readonly start: ObjectId;
  readonly commit: ObjectId;
}

/** A commit of one range and the one it became in another; null where there is none. */
export interface RangeDiffEntry {
  readonly kind: 'same' | 'changed' | 'gone' | 'new';
  readonly old: ObjectId | null;
  readonly new: ObjectId | null;
  readonly subject: string;
}

/** Differences of two commits; `base` may be a tree. */
export interface GitDiffs {
  changedFiles(base: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<readonly ChangedFile[]>;
  /** Files that differ between two commits, in git's order; cheaper than changedFiles, which also reads contents. */
  treeChanges(base: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<readonly TreeChange[]>;
  /** Files that git takes for renamed, by their content. */
  renames(base: ObjectId, tip: ObjectId): Promise<readonly RenamedFile[]>;
  diffStat(base: ObjectId, tip: ObjectId): Promise<DiffStat>;
  /** Lines that differ in each file; none of them in a binary one. */
  fileStats(base: ObjectId, tip: ObjectId): Promise<readonly FileStat[]>;
  /** The unified diff a person or validator reads: no external drivers, no textconv, nothing hidden. */
  diffText(base: ObjectId, tip: ObjectId, options?: { readonly maxBytes?: number }): Promise<string>;
  /** Reads the diff file by file. Throws FlameError `diff-mismatch` when it isn't what git counts, to the line. */
  readPatch(base: ObjectId, tip: ObjectId, view?: PatchView): Promise<Patch>;
  /** Pairs the commits of a range with those of another one, as `git range-diff` does; null: there are too many. */
  pairCommits(before: CommitRange, now: CommitRange): Promise<readonly RangeDiffEntry[] | null>;
}

/** One line that a pattern was found in. */
export interface CommitSearchLine {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Looks for an extended regular expression in the text files of a commit below a path ('': all), in git's order, at most
 * so many lines of each file. `isCut`: there is more than was read.
 */
export type CommitSearch = (
  commit: ObjectId,
  asked: {
    readonly pattern: string;
    readonly path: string;
    readonly ignoresCase: boolean;
    readonly mostOfFile: number;
  },
) => Promise<
  | { readonly kind: 'found'; readonly lines: readonly CommitSearchLine[]; readonly isCut: boolean }
  | { readonly kind: 'bad-pattern'; readonly message: string }
  | { readonly kind: 'too-long' }
>;

/** Paths that are no way to a commit's own files: a symbolic link leads elsewhere, a submodule is another repository. */
export type SymlinkAndSubmodulePaths = ReadonlyMap<string, 'symbolic link' | 'submodule'>;

/** Files of a commit. */
export interface GitFiles {
  /** Reads texts of files in a commit; files that are absent, binary or over 1 MiB are left out. */
  readTexts(commit: ObjectId, paths: readonly string[], quarantine?: Quarantine): Promise<ReadonlyMap<string, string>>;
  /**
   * Content of a blob that `tip` or the repository holds, to be searched: a character for each byte that isn't 0,
   * so that what is ASCII reads the same in every encoding. null: it's no blob.
   */
  readBlobAsLatin1(blob: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<string | null>;
  readonly search: CommitSearch;
  /** Tracked paths of a commit, at most `limit`. */
  listFiles(commit: ObjectId, limit: number): Promise<readonly string[]>;
  /** Which of these paths are files or folders of a commit. */
  findPathsInCommit(commit: ObjectId, paths: readonly string[]): Promise<readonly string[]>;
  /**
   * Files that a configured filter (git-lfs, git-crypt) turns into something else on checkout, by the attributes of a
   * commit: of all its files, or of these.
   */
  filteredPaths(commit: ObjectId, paths?: readonly string[]): Promise<readonly FilteredPath[]>;
  /** Of paths where git tracks nothing, those that it ignores in the person's work tree, each with the rule. */
  ignoredPaths(paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Finds files named by `.worktreeinclude` of this work tree that git ignores in it. */
  listWorktreeIncludeFiles(root: string): Promise<readonly string[]>;
  /** The patterns of the person's sparse checkout, in the form of .gitignore; null: it holds everything. */
  sparsePatterns(root: string): Promise<readonly string[] | null>;
  /** Paths of a commit that are no way to files of its own. */
  linkedPaths(commit: ObjectId): Promise<SymlinkAndSubmodulePaths>;
  /** Where the submodules of a commit are. */
  submodules(commit: ObjectId): Promise<readonly string[]>;
  /** Writes the files of a commit into a folder that is absent or empty, made if need be. */
  exportCommit(commit: ObjectId, folder: string): Promise<void>;
}
