import type { ObjectId, RefName } from '../ids.ts';
import type { GitCells } from './git-cells.ts';
import type { GitCommits, GitMerging } from './git-commits.ts';
import type { GitDiffs, GitFiles } from './git-contents.ts';
import type { GitTrials } from './git-trials.ts';
import type { GitWorktrees } from './git-worktrees.ts';

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
    GitCells {
  readonly repository: Repository;
  /** `Name <email>` of the person, from git's configuration. */
  identity(): Promise<string>;
  /** Packs loose objects where there are many, so that the person's git has no reason to. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}
