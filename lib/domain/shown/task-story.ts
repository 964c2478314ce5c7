import type { EvidenceDoubt } from '../ports/changeset-question.ts';
import type { CommitInfo } from '../ports/git-commits.ts';
import type { Rescue } from '../ports/rescue.ts';
import type { Changeset } from '../state/changeset.ts';
import type { Verification } from '../state/evidence.ts';
import type { FileStat } from '../state/patch.ts';
import type { AgentRun } from '../state/session.ts';
import type { Task } from '../state/task.ts';
import type { Verdict } from '../state/verdict.ts';
import type { Ahead } from './ahead.ts';
import type { ShownNote } from './notes.ts';

/** A call the watcher did not let pass, and how often it was tried. */
export interface BlockedCall {
  readonly rule: string;
  readonly tool: string;
  readonly target: string;
  readonly details: string;
  readonly count: number;
}

/** Calls of one agent to its watcher. */
export interface AgentCalls {
  readonly agent: string;
  readonly allowed: number;
  readonly blocked: readonly BlockedCall[];
}

/** One agent's time at a task. `took_ms` is null while it runs, and where it was not recorded. */
export interface AttemptTime {
  readonly agent: string;
  readonly took_ms: number | null;
}

/** The commits a task's accepted attempt made. */
export interface TaskWork {
  readonly commits: readonly CommitInfo[];
  readonly files: readonly FileStat[];
}

/** Everything that is known of a task, as `git flame show TASK --json` prints it. */
export interface TaskStory {
  readonly task: Task;
  /** On any commit of the task, oldest first. */
  readonly verdicts: readonly Verdict[];
  readonly verifications: readonly Verification[];
  /** Whether its evidence came out differently when checked again. */
  readonly doubts: readonly EvidenceDoubt[];
  /** Notes that its worker left for later tasks, and those the lead left for it. */
  readonly notes: readonly ShownNote[];
  /** Why it is not worked on now, one line each. */
  readonly waits_for: readonly string[];
  /** Agents that worked on it and were paid for: workers, validators, mergers. */
  readonly runs: readonly AgentRun[];
  readonly times: readonly AttemptTime[];
  readonly calls: readonly AgentCalls[];
  /** null: nothing was accepted, or its commits are not in this clone. */
  readonly work: TaskWork | null;
  /** Existing worktrees. */
  readonly worktrees: readonly string[];
  readonly rescues: readonly Rescue[];
  /** Ids of changesets whose state another clone wrote: it does not count here. */
  readonly uncounted: readonly string[];
  /** Verdicts of another clone that are ignored here. */
  readonly uncounted_verdicts: readonly Verdict[];
  readonly changesets: readonly Changeset[];
  /** As in status, of this task alone; absent where there are none. */
  readonly conflicts_ahead?: Ahead;
  /** Commands to continue with, the likeliest first. */
  readonly next: readonly string[];
}
