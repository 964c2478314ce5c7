import type { ObjectId } from '../ids.ts';
import type { Quarantine } from './git-cells.ts';

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

export interface TransplantResult {
  readonly tree: ObjectId;
  /** Files in which both changed the same lines: they are as the moved work has them. */
  readonly clashes: readonly string[];
}

export interface CommitRequest {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly message: string;
  /** `Name <email>`; default: the person. */
  readonly author?: string;
  /** When it was written, in seconds; default: now. */
  readonly authored?: number;
}

/** Commits, and how they descend from each other. */
export interface GitCommits {
  resolveCommit(revision: string): Promise<ObjectId | null>;
  isAncestor(ancestor: ObjectId, descendant: ObjectId): Promise<boolean>;
  /** Drops commits that another one holds already; the rest in the order given, each once. */
  dropContainedCommits(commits: readonly ObjectId[]): Promise<readonly ObjectId[]>;
  /** The best common ancestor; null where the two share no history. */
  mergeBase(one: ObjectId, other: ObjectId): Promise<ObjectId | null>;
  readCommit(commit: ObjectId, quarantine?: Quarantine): Promise<CommitInfo>;
  /** Commits of base..tip, oldest first. */
  commitsBetween(base: ObjectId, tip: ObjectId, quarantine?: Quarantine): Promise<readonly CommitInfo[]>;
}

/** Commits made of others, without a worktree. */
export interface GitMerging {
  mergeTree(ours: ObjectId, theirs: ObjectId): Promise<MergeResult>;
  /** Names of the merge drivers that the person has configured: none of them runs in these merges. */
  mergeDrivers(): Promise<readonly string[]>;
  /** Merges what changed between `start` and `tip` onto another commit; history before `start` is ignored. */
  mergeDifferenceOnto(onto: ObjectId, start: ObjectId, tip: ObjectId): Promise<MergeResult>;
  /**
   * The files of `tip` had its change since `start` been made on `onto`, without marks of conflicts; `onto` may be a tree.
   */
  transplantChange(onto: ObjectId, start: ObjectId, tip: ObjectId): Promise<TransplantResult>;
  /** The tree of a commit with other texts in these files of it, which keep their modes. */
  replaceTexts(commit: Pick<CommitInfo, 'oid' | 'tree'>, texts: ReadonlyMap<string, string>): Promise<ObjectId>;
  writeUnsignedCommit(init: CommitRequest): Promise<ObjectId>;
  /**
   * A commit of the person's own, signed by git with their key where their configuration has commits signed
   * (`commit.gpgsign`). Throws FlameError `signing-failed`, or `signing-untrusted` where what would sign lies in the
   * repository; nothing has happened then.
   */
  writeSignedCommit(init: CommitRequest): Promise<ObjectId>;
}

/** A commit of the repository, or one that may still be in the quarantine of a cell. */
export interface MaybeQuarantinedCommit {
  readonly commit: ObjectId;
  readonly quarantine: Quarantine | null;
}

/** Paths that differ between two commits, a rename as both of its names. */
export interface ChangedPaths {
  readonly paths: readonly string[];
  /** Whether a path is deleted or renamed. */
  readonly removes: boolean;
}

/** Result of a trial merge; `unrelated`: the two share no history. */
export type TrialMergeResult =
  | { readonly kind: 'clean' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | { readonly kind: 'unrelated' };

/**
 * Tries merges of commits that agents may still work on. Nothing enters the repository and nothing an agent wrote runs.
 * Results are only shown to a person: those objects are not verified. A git that takes long, or whose signal aborts, is
 * ended (FlameError `cell-git-ended`, `interrupted`).
 */
export interface GitTrials {
  /** Throws FlameError `cell-objects-refused`, or `git-failed` where objects are missing or broken. */
  tryMerge(one: MaybeQuarantinedCommit, other: MaybeQuarantinedCommit, signal: AbortSignal): Promise<TrialMergeResult>;
  /** Null: more paths than `most`. Throws as tryMerge. */
  pathsChanged(
    from: ObjectId,
    to: MaybeQuarantinedCommit,
    options: { readonly most: number; readonly signal: AbortSignal },
  ): Promise<ChangedPaths | null>;
  /**
   * Where the work in a person's worktree rests: its HEAD, or the branch while a rebase or bisection moves HEAD, and
   * where the worktree is gone. Starts no process. null: neither is there.
   */
  restingTip(workTree: string | null, branch: string): Promise<ObjectId | null>;
}
