import type { ObjectId, RefName, SessionId, TaskId } from '../ids.ts';
import type { AgentRunRecord } from '../state/session-schema.ts';

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
  /** The commit its work is compared with and judged from: start, or before it where it continues earlier work. */
  readonly base: ObjectId;
  readonly quarantine: Quarantine;
}

/** A cell, and whether the process that made it lives: 'unknown' where nothing can be known of it from here. */
export interface CellInfo extends CellWorktree {
  readonly owner: 'own' | 'alive' | 'gone' | 'unknown';
  /** null for scratch worktrees, whose content belongs to no task. */
  readonly subject: CellSubject | null;
  /** The record of its agent's end; null while it isn't over, or where it failed. */
  readonly ended: AgentEndNote | null;
}

/** A path that differs from what the HEAD of a cell has. */
export interface Leftover {
  readonly path: string;
  readonly isTracked: boolean;
  /** Where it leads, as it is written in the link; null: it is none. */
  readonly target: string | null;
}

/** Files made by the agent that git ignores. */
export interface IgnoredWork {
  /** A file, or with a slash at its end a folder of which git looks at nothing. */
  readonly entry: string;
  /** The files of it. */
  readonly files: readonly string[];
  /** `.gitignore:3 (dist/)`: where the rule stands, and the rule; null: it was put there before the agent began. */
  readonly rule: string | null;
  /** Its worktree stays for it; false: it is much, and no lock names it, as the output of a build. */
  readonly isKept: boolean;
}

/** A commit that an agent made, and that its HEAD doesn't hold. */
export interface AbandonedCommit {
  readonly commit: ObjectId;
  readonly subject: string;
}

/** Where a task's work may lie. */
export interface WorkScope {
  /** Whether a path is inside of it. */
  covers(path: string): boolean;
  /** Whether a lock names this path, or one below it, by words and not by a wildcard. */
  names(path: string): boolean;
}

/** The commit of what an agent left uncommitted. */
export interface LeftoverCommitInit {
  readonly message: string;
  /** `Name <email>`. */
  readonly author: string;
  /** No agent works there any more, so that the agent's git needn't see it; absent: no. */
  readonly isOver?: boolean;
}

/** The end of an agent that did well: enough to take in its work where nothing else is left of its process. */
export interface AgentEndNote {
  readonly run: AgentRunRecord;
  /** Its last words, without notes. */
  readonly text: string;
  /** Its notes for later tasks, an empty line between two. */
  readonly notes: string;
}

/**
 * The state of each path of a cell's worktree, in a form that differs when it was changed; in front of paths of its
 * private git folder stands `.git/`. Paths are bytes, read as Latin-1.
 */
export type CellSnapshot = ReadonlyMap<string, string>;

/** Purpose of the work in a cell. */
export interface CellSubject {
  readonly session: SessionId;
  readonly task: TaskId;
}

/** Worktrees of agents, each with a quarantine for what it writes. */
export interface GitCells {
  /**
   * A detached worktree for one agent with its own quarantine; base: start. `sparse`: see listSparsePatternsForLocks; what they leave out
   * is in its index and not on disk. Calls wait for each other.
   */
  addCellWorktree(
    path: string,
    start: ObjectId,
    subject?: CellSubject,
    base?: ObjectId,
    sparse?: readonly string[] | null,
  ): Promise<CellWorktree>;
  /**
   * A worktree of an accepted commit whose changes are never kept: for checks and readers. Remove with
   * discardCell.
   */
  addScratchWorktree(path: string, commit: ObjectId, sparse?: readonly string[] | null): Promise<CellWorktree>;
  /** Cells that exist now, also those of a run that was killed. */
  cells(): Promise<readonly CellInfo[]>;
  /** HEAD of a cell's worktree; the objects may still be in quarantine. */
  cellHead(cell: CellWorktree): Promise<ObjectId>;
  /** Every path of a cell, ignored ones too, to be compared with a later one. */
  snapshotCell(cell: CellWorktree): Promise<CellSnapshot>;
  /**
   * Untracked paths that belong to no task's work from now on: cellLeftovers and commitCellRescue leave them out.
   * The same goes for what git ignores of `globs`, and what is in submodules now.
   */
  recordPreparedPaths(cell: CellWorktree, paths: readonly string[], globs?: readonly string[]): Promise<void>;
  /** The paths that recordPreparedPaths recorded; a name that ends in a slash stands for all below it. */
  listPreparedPaths(cell: CellWorktree): Promise<readonly string[]>;
  /** Makes tracked files of a cell what its HEAD has them be. */
  restoreTracked(cell: CellWorktree, paths: readonly string[]): Promise<void>;
  /** Starts a merge of `commit` in the worktree, leaving conflict markers. Nothing is committed. */
  startMergeIn(cell: CellWorktree, commit: ObjectId): Promise<readonly string[]>;
  /** Notes that the agent in a cell is over and did well. */
  recordAgentEnd(cell: CellWorktree, note: AgentEndNote): Promise<void>;
  /**
   * Paths left uncommitted in a cell's worktree; ignored and prepared files are not listed. A name that is no UTF-8
   * holds lone surrogates. Throws FlameError `cell-submodule` where a submodule was changed.
   */
  cellLeftovers(cell: CellWorktree): Promise<readonly Leftover[]>;
  /** Finds files an agent made inside `scope` that git ignores; caches and those from before it began are left out. */
  listIgnoredAgentWork(cell: CellWorktree, scope: WorkScope): Promise<readonly IgnoredWork[]>;
  /** Commits that an agent made and left again; verified, and still in its quarantine. */
  listAbandonedCommits(cell: CellWorktree): Promise<readonly AbandonedCommit[]>;
  /**
   * Makes a worktree again whose folder was removed, with what its agent committed last; what it had not committed is
   * lost. Resolves to whether it was removed.
   */
  restoreWorktree(cell: CellWorktree): Promise<boolean>;
  /** Commits these paths in the quarantine, running nothing the agent could have planted. Returns the new HEAD. */
  commitLeftovers(cell: CellWorktree, paths: readonly string[], init: LeftoverCommitInit): Promise<ObjectId>;
  /** The last commit of commitLeftovers in a cell, also by a process that was killed then; null: none. */
  readCommitMadeForAgent(cell: CellWorktree): Promise<ObjectId | null>;
  /**
   * A commit of the whole worktree as it is, ignored files left out, on top of its HEAD, or of its start where
   * HEAD is unusable, `without` some of its files, and with some ignored ones `also`. Stays in quarantine; HEAD, index and files stay as they are. null:
   * nothing differs from the start.
   */
  rescueCell(
    cell: CellWorktree,
    init: {
      readonly message: string;
      readonly author: string;
      readonly without?: readonly string[];
      readonly also?: readonly string[];
    },
  ): Promise<ObjectId | null>;
  /** Brings what start..tip adds into the repository; the cell stays. Do it before a branch is moved to tip. */
  importCell(cell: CellWorktree, tip: ObjectId): Promise<void>;
  /** importCell, then discardCell. Safe against a kill at any point. */
  acceptCell(cell: CellWorktree, tip: ObjectId): Promise<void>;
  /** Removes the worktree and its quarantine; nothing of it enters the repository. */
  discardCell(cell: CellWorktree): Promise<void>;
  /**
   * Makes the worktree of an agent that is over one that the person's git works in, without anything of it entering the
   * repository. Harmless when repeated.
   */
  handWorktreeToPerson(cell: CellWorktree): Promise<void>;
  /** Whether it is one that the person's git works in, and runs nothing of it by itself. */
  isWorktreeHandedToPerson(cell: CellWorktree): boolean;
  /** Whether this worktree was not reported to the person yet; the call marks it as reported. */
  markCellReported(cell: CellWorktree): Promise<boolean>;
  /** A commit that a person made in such a worktree and that no ref has; null: none. */
  personCommit(cell: CellWorktree): Promise<ObjectId | null>;
  /** The change of a cell's files since its base, once its agent is over, as a unified diff. */
  diffCell(cell: CellWorktree): Promise<string>;
  /**
   * Finishes removals that were cut short, clears cells and objects that a kill left half made, makes removed worktrees
   * with commits of an agent again, and leaves what stays to the person; returns the names of what went.
   */
  removeUnfinishedCells(): Promise<readonly string[]>;
}

/** Work that was kept when its worktree or branch was removed. */
export interface Rescue {
  /** `<session>/<task>/<n>`. */
  readonly name: string;
  readonly ref: RefName;
  readonly commit: ObjectId;
  /** The commit the work began on. */
  readonly start: ObjectId | null;
  readonly agent: string | null;
  readonly at: string | null;
  readonly why: string;
}
