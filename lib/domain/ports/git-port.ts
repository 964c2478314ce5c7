import type { ObjectId, RefName, SessionId, TaskId } from '../ids.ts';
import type { DiffStat } from '../state/changeset.ts';
import type { ChangedFile, FileStat, Patch, TreeChange } from '../state/patch.ts';
import type { AgentRun } from '../state/session.ts';

/** Where a command stands; all paths absolute. */
export interface Repository {
  /** The common git directory (`--git-common-dir`): state and run-time files live here. */
  readonly commonDir: string;
  readonly gitDir: string;
  /** The work tree the command was started in; null in a bare repository. */
  readonly workTree: string | null;
  /**
   * The main work tree, where `.blueflame.yml` and the worktree folder are; beside a bare repository, the one the
   * command was started in. null: there is none.
   */
  readonly mainWorkTree: string | null;
  /** Path from workTree to the person's current folder, '' at the top. */
  readonly prefix: string;
  readonly isBare: boolean;
  readonly objectFormat: 'sha1' | 'sha256';
  readonly gitVersion: string;
}

export interface HeadState {
  /** Short name of the checked-out branch; null when detached. */
  readonly branch: string | null;
  /** null on an unborn branch. */
  readonly commit: ObjectId | null;
}

export interface CommitInfo {
  readonly oid: ObjectId;
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  /** `Name <email>`. */
  readonly author: string;
  readonly committer: string;
  /** When, in seconds; NaN where git can't read it. */
  readonly authored: number;
  readonly committed: number;
  /** The whole message. */
  readonly message: string;
}

export type MergeResult =
  | { readonly kind: 'clean'; readonly tree: ObjectId }
  | {
      readonly kind: 'conflict';
      readonly tree: ObjectId;
      readonly paths: readonly string[];
      readonly messages: readonly string[];
    };

export interface CommitRequest {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly message: string;
  /** `Name <email>`; default: the person. */
  readonly author?: string;
}

export interface RefUpdate {
  readonly ref: RefName;
  /** What the ref must hold now; null: it must not exist. */
  readonly old: ObjectId | null;
  /** null deletes it. */
  readonly new: ObjectId | null;
}

/** A worktree of the repository, as `git worktree list` knows it. */
export interface WorktreeInfo {
  readonly path: string;
  readonly head: ObjectId | null;
  /** Short branch name; null when detached. */
  readonly branch: string | null;
}

/** What a branch is in the midst of, in one of its worktrees. */
export type BranchOperation = 'rebase' | 'am' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';

/** A file, and the filter its attributes name. */
export interface FilteredPath {
  readonly path: string;
  readonly filter: string;
}

/** A worktree that uses a branch: it is checked out there, or to be moved by what is under way there. */
export interface BranchUse {
  readonly path: string;
  /** false: there is no work tree at that path. */
  readonly isThere: boolean;
  readonly operation: BranchOperation | null;
}

/**
 * Objects written inside a cell: kept in a folder of their own until accepted, so that what is rejected
 * never was in the repository.
 */
export interface Quarantine {
  /** The agent's private object folder; the cell sets GIT_OBJECT_DIRECTORY to it. */
  readonly objectDir: string;
  /** The repository's own objects; GIT_ALTERNATE_OBJECT_DIRECTORIES inside the cell. */
  readonly alternates: readonly string[];
  /** The private git folder of the worktree, which the agent's git writes; not below `<common>/worktrees`. */
  readonly worktreeGitDir: string;
}

export interface CellWorktree {
  readonly path: string;
  readonly start: ObjectId;
  /**
   * What the work in it is compared with and judged from: start, or before it where it continues earlier
   * work.
   */
  readonly base: ObjectId;
  readonly quarantine: Quarantine;
}

/** A cell, and whether the process that made it lives: 'unknown' where nothing can be known of it from here. */
export interface CellInfo extends CellWorktree {
  readonly owner: 'own' | 'alive' | 'gone' | 'unknown';
  /** null for scratch worktrees, whose content belongs to no task. */
  readonly subject: CellSubject | null;
  /** What its agent's end was noted as; null while it isn't over, or where it failed. */
  readonly ended: EndNote | null;
}

/** The end of an agent that did well: enough to take in its work where nothing else is left of its process. */
export interface EndNote {
  readonly run: AgentRun;
  /** Its last words. */
  readonly text: string;
}

/**
 * What each path of a cell's worktree is, in a form that differs when it was changed; in front of paths of its
 * private git folder stands `.git/`. Paths are bytes, read as Latin-1.
 */
export type CellSnapshot = ReadonlyMap<string, string>;

/** What the work in a cell is for. */
export interface CellSubject {
  readonly session: SessionId;
  readonly task: TaskId;
}

/** A ref, and the commit it names. */
export interface RefInfo {
  readonly ref: RefName;
  readonly commit: ObjectId;
}

/** Everything the engine asks of git. git itself is spawned in lib/git alone. */
export interface GitPort {
  readonly repository: Repository;
  head(workTree: string): Promise<HeadState>;
  resolveCommit(revision: string): Promise<ObjectId | null>;
  /** `Name <email>` of the person, from git's configuration. */
  identity(): Promise<string>;
  /** Paths `git status` reports in a work tree, untracked ones included, ignored ones not. */
  dirtyPaths(workTree: string): Promise<readonly string[]>;
  /** Tracked paths with staged or unstaged changes; untracked files are not among them. */
  changedTracked(workTree: string): Promise<readonly string[]>;
  isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean>;
  /** Those that no other one of them holds already, in the order given, each once. */
  independent(commits: readonly ObjectId[]): Promise<readonly ObjectId[]>;
  readCommit(commit: ObjectId, quarantine?: Quarantine): Promise<CommitInfo>;
  /** Commits of base..tip, oldest first. */
  commitsBetween(base: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<readonly CommitInfo[]>;
  changedFiles(base: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<readonly ChangedFile[]>;
  /** Files that differ between two commits, in git's order; cheaper than changedFiles, which also reads contents. */
  treeChanges(base: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<readonly TreeChange[]>;
  diffStat(base: ObjectId, tip: ObjectId): Promise<DiffStat>;
  /** Lines that differ in each file; none of them in a binary one. */
  fileStats(base: ObjectId, tip: ObjectId): Promise<readonly FileStat[]>;
  /** The unified diff a person or validator reads: no external drivers, no textconv, nothing hidden. */
  diffText(base: ObjectId, tip: ObjectId, options?: { readonly maxBytes?: number }): Promise<string>;
  /** The same file by file. Throws FlameError `diff-mismatch` when it isn't what git counts, to the line. */
  readPatch(base: ObjectId, tip: ObjectId): Promise<Patch>;
  /** Texts of files in a commit; what is absent, binary or over 1 MiB is left out. */
  readTexts(
    commit: ObjectId,
    paths: readonly string[],
    quarantine?: Quarantine,
  ): Promise<ReadonlyMap<string, string>>;
  /**
   * Content of a blob that `tip` or the repository holds, to be searched: a character for each byte that isn't 0,
   * so that what is ASCII reads the same in every encoding. null: it's no blob.
   */
  readContent(blob: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<string | null>;
  /** Tracked paths of a commit, at most `limit`. */
  listFiles(commit: ObjectId, limit: number): Promise<readonly string[]>;
  /**
   * Files that a configured filter (git-lfs, git-crypt) turns into something else on checkout, by the attributes of a
   * commit: of all its files, or of these.
   */
  filteredPaths(commit: ObjectId, paths?: readonly string[]): Promise<readonly FilteredPath[]>;
  /** Where the submodules of a commit are. */
  submodules(commit: ObjectId): Promise<readonly string[]>;
  /** Opens the worktree of an earlier run again; null when it is gone. */
  findCell(path: string): Promise<CellWorktree | null>;
  mergeTree(ours: ObjectId, theirs: ObjectId): Promise<MergeResult>;
  /** Merges what changed between `start` and `tip` onto another commit, whatever lies before `start`. */
  replay(onto: ObjectId, start: ObjectId, tip: ObjectId): Promise<MergeResult>;
  commitTree(init: CommitRequest): Promise<ObjectId>;
  /**
   * A commit of the person's own, signed by git with their key where their configuration has commits signed
   * (`commit.gpgsign`). Throws FlameError `signing-failed`, or `signing-untrusted` where what would sign lies in the
   * repository; nothing has happened then.
   */
  commitSigned(init: Omit<CommitRequest, 'author'>): Promise<ObjectId>;
  /** Refs below a prefix such as `refs/blueflame/rescue/`, by name. */
  listRefs(prefix: string): Promise<readonly RefInfo[]>;
  /** Writes the files of a commit into a folder that is absent or empty, made if need be. */
  exportCommit(commit: ObjectId, folder: string): Promise<void>;
  worktrees(): Promise<readonly WorktreeInfo[]>;
  /** Worktrees that have a branch checked out, or whose rebase, bisection or the like will come back to it. */
  branchUses(branch: string): Promise<readonly BranchUse[]>;
  /** A detached worktree for one agent with its own quarantine; base: start. Calls wait for each other. */
  addCellWorktree(
    path: string,
    start: ObjectId,
    subject?: CellSubject,
    base?: ObjectId,
  ): Promise<CellWorktree>;
  /** Cells that exist now, also those of a run that was killed. */
  cells(): Promise<readonly CellInfo[]>;
  /** HEAD of a cell's worktree; the objects may still be in quarantine. */
  cellHead(cell: CellWorktree): Promise<ObjectId>;
  /** Every path of a cell, ignored ones too, to be compared with a later one. */
  snapshotCell(cell: CellWorktree): Promise<CellSnapshot>;
  /**
   * Untracked paths that belong to no task's work from now on: cellLeftovers and rescueCell leave them out.
   * The same goes for what is in submodules now.
   */
  markPrepared(cell: CellWorktree, paths: readonly string[]): Promise<void>;
  /** Makes tracked files of a cell what its HEAD has them be. */
  restoreTracked(cell: CellWorktree, paths: readonly string[]): Promise<void>;
  /** Notes that the agent in a cell is over and did well. */
  noteEnd(cell: CellWorktree, note: EndNote): Promise<void>;
  /**
   * Paths left uncommitted in a cell's worktree; ignored and prepared files are not listed. A name that is no UTF-8
   * holds lone surrogates. Throws FlameError `cell-submodule` where a submodule was changed.
   */
  cellLeftovers(
    cell: CellWorktree,
  ): Promise<readonly { readonly path: string; readonly isTracked: boolean }[]>;
  /** What commitLeftovers made last in a cell, also by a process that was killed then; null: nothing. */
  cellMade(cell: CellWorktree): Promise<ObjectId | null>;
  /** Commits these paths in the quarantine, running nothing the agent could have planted. Returns the new HEAD. */
  commitLeftovers(
    cell: CellWorktree,
    paths: readonly string[],
    message: string,
    author: string,
  ): Promise<ObjectId>;
  /**
   * A commit of the whole worktree as it is, ignored files left out, on top of its HEAD, or of its start where
   * HEAD is unusable. Stays in quarantine; HEAD, index and files stay as they are. null: nothing differs from
   * the start.
   */
  rescueCell(
    cell: CellWorktree,
    init: { readonly message: string; readonly author: string },
  ): Promise<ObjectId | null>;
  /** Starts a merge of `commit` in the worktree, leaving conflict markers. Nothing is committed. */
  startMergeIn(cell: CellWorktree, commit: ObjectId): Promise<readonly string[]>;
  /** Brings what start..tip adds into the repository; the cell stays. Do it before a branch is moved to tip. */
  importCell(cell: CellWorktree, tip: ObjectId): Promise<void>;
  /** importCell, then discardCell. Safe against a kill at any point. */
  acceptCell(cell: CellWorktree, tip: ObjectId): Promise<void>;
  /** Removes the worktree and its quarantine; nothing of it enters the repository. */
  discardCell(cell: CellWorktree): Promise<void>;
  /** Finishes removals that were cut short, clears cells and objects that a kill left half made; returns their names. */
  recoverCells(): Promise<readonly string[]>;
  /** Packs loose objects where there are many, so that the person's git has no reason to. */
  tidy(): Promise<void>;
  /**
   * A worktree of an accepted commit whose changes are never kept: for checks and readers. Remove with
   * discardCell.
   */
  addScratchWorktree(path: string, commit: ObjectId): Promise<CellWorktree>;
  /** Paths that from → to would add where a worktree holds files git doesn't track. */
  filesInTheWay(workTree: string, from: ObjectId, to: ObjectId): Promise<readonly string[]>;
  /** What git says against bringing a worktree from one commit to another; nothing: it can be done. Changes nothing. */
  advanceObstacles(workTree: string, from: ObjectId, to: ObjectId): Promise<readonly string[]>;
  /** The best common ancestor; null where the two share no history. */
  mergeBase(one: ObjectId, other: ObjectId): Promise<ObjectId | null>;
  /**
   * A plain worktree for a person with a branch checked out: made at `start`, moved there, or as it is. Calls
   * wait for each other.
   */
  addPersonWorktree(
    path: string,
    init: { readonly branch: string; readonly start: ObjectId; readonly mode: 'new' | 'reset' | 'as-is' },
  ): Promise<void>;
  /** Takes a worktree off its branch, its files as they are. */
  detachWorktree(path: string): Promise<void>;
  /** Removes a person's worktree that has no local changes; false where it has some. */
  removePersonWorktree(path: string): Promise<boolean>;
  /** Brings a clean worktree whose branch was moved from → to along; refuses to touch local changes. */
  advanceWorktree(
    workTree: string,
    from: ObjectId,
    to: ObjectId,
  ): Promise<'advanced' | 'already' | 'refused'>;
  close(): Promise<void>;
}
