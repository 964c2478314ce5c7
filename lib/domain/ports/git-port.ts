import type { ObjectId, RefName } from '../ids.ts';
import type { GitCells } from './git-cells.ts';
import type { GitCommits, GitMerging, GitTrials } from './git-commits.ts';
import type { GitDiffs, GitFiles } from './git-contents.ts';
import type { GitTryWorktrees } from './git-try-worktrees.ts';

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

export interface RefUpdate {
  readonly ref: RefName;
  /** The object the ref must hold now; null: it must not exist. */
  readonly old: ObjectId | null;
  /** null deletes it. */
  readonly new: ObjectId | null;
  /** A branch that a remote which decides has there already: it moves here alone. */
  readonly isTaken?: true;
}

/** A ref, and the commit it names. */
export interface RefInfo {
  readonly ref: RefName;
  readonly commit: ObjectId;
}

export interface GitRefs {
  /** Refs below a prefix such as `refs/blueflame/rescue/`, by name. */
  listRefs(prefix: string): Promise<readonly RefInfo[]>;
  /** Lists refs whose history holds a commit. */
  refsHolding(commit: ObjectId, prefix: string): Promise<readonly RefInfo[]>;
  /** Names of refs that are one of these or below it, to any object. */
  refNames(places: readonly string[]): Promise<readonly string[]>;
}

/**
 * Everything the engine asks of git. git itself is spawned in lib/git alone. A function that needs one part of it
 * names that part.
 */
export interface GitPort
  extends GitCommits,
    GitRefs,
    GitMerging,
    GitTrials,
    GitDiffs,
    GitFiles,
    GitWorktrees,
    GitTryWorktrees,
    GitCells {
  readonly repository: Repository;
  /** `Name <email>` of the person, from git's configuration. */
  identity(): Promise<string>;
  /** Packs loose objects where there are many, so that the person's git has no reason to. */
  packManyLooseObjects(): Promise<void>;
  close(): Promise<void>;
}

export interface HeadState {
  /** Short name of the checked-out branch; null when detached. */
  readonly branch: string | null;
  /** null on an unborn branch. */
  readonly commit: ObjectId | null;
}

/** A worktree of the repository, as `git worktree list` knows it. */
export interface WorktreeInfo {
  readonly path: string;
  readonly head: ObjectId | null;
  /** Short branch name; null when detached. */
  readonly branch: string | null;
}

/** Operation in progress on a branch, in one of its worktrees. */
export type BranchOperation = 'rebase' | 'am' | 'merge' | 'cherry-pick' | 'revert' | 'bisect';

/** A worktree that uses a branch: it is checked out there, or to be moved by what is under way there. */
export interface BranchUse {
  readonly path: string;
  /** false: there is no work tree at that path. */
  readonly isThere: boolean;
  readonly operation: BranchOperation | null;
}

/** The person's worktrees. */
export interface GitWorktrees {
  head(workTree: string): Promise<HeadState>;
  worktrees(): Promise<readonly WorktreeInfo[]>;
  /** Worktrees that have a branch checked out, or whose rebase, bisection or the like will come back to it. */
  branchUses(branch: string): Promise<readonly BranchUse[]>;
  /** Paths `git status` reports in a work tree, untracked ones included, ignored ones not. */
  dirtyPaths(workTree: string): Promise<readonly string[]>;
  /** Tracked paths with staged or unstaged changes; untracked files are not among them. */
  changedTracked(workTree: string): Promise<readonly string[]>;
  /** Paths that from → to would add where a worktree holds files git doesn't track. */
  filesInTheWay(workTree: string, from: ObjectId, to: ObjectId): Promise<readonly string[]>;
  /** Git's reasons against bringing a worktree from one commit to another; none: it can be done. Changes nothing. */
  advanceObstacles(workTree: string, from: ObjectId, to: ObjectId): Promise<readonly string[]>;
  /** Brings a clean worktree whose branch was moved from → to along; refuses to touch local changes. */
  advanceWorktree(workTree: string, from: ObjectId, to: ObjectId): Promise<'advanced' | 'already' | 'refused'>;
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
}
