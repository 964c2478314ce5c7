/** How much of an agent's work is looked at: larger work is refused, and it stays where it is. */
export interface CheckedWorkLimits {
  /** Commits between the start of a task and its end. */
  readonly commits: number;
  /** Bytes of one commit message. */
  readonly messageBytes: number;
  /** Paths that differ, those of every commit counted. */
  readonly paths: number;
  /** Folders in folders. */
  readonly depth: number;
  /** Bytes of the files that differ, as long as they read: holes and equal files count. */
  readonly bytes: number;
  /** Objects the agent's git wrote. */
  readonly objects: number;
  /** Files and folders of its worktree beyond those it started with, ignored ones too. */
  readonly entries: number;
  /** Bytes of one file of patterns, such as .gitignore. */
  readonly patternBytes: number;
  /** How often `**` may be in one pattern: git's time to match it grows exponentially with each. */
  readonly patternStars: number;
  /** How often `*` may be in the names of one pattern, beside other letters. */
  readonly patternWild: number;
  /** Repositories inside its worktree. */
  readonly nested: number;
}

export const checkedWorkLimits: CheckedWorkLimits = {
  commits: 2_000,
  messageBytes: 100_000,
  paths: 200_000,
  depth: 100,
  bytes: 4 * 1024 ** 3,
  objects: 500_000,
  entries: 1_000_000,
  patternBytes: 1024 ** 2,
  patternStars: 4,
  patternWild: 3,
  nested: 200,
};

/** Limits of one git process on an agent's files; a process over them is ended. */
export interface GitLimits {
  readonly wallMs: number;
  readonly cpuSeconds: number;
  readonly memoryMb: number;
}

export const gitLimits: GitLimits = { wallMs: 300_000, cpuSeconds: 300, memoryMb: 4_096 };
