import type { EvidenceDoubt } from '../ports/changeset-question.ts';
import type { Rescue } from '../ports/git-cells.ts';
import type { CommitInfo } from '../ports/git-commits.ts';
import type { BlackboardNote } from '../state/blackboard.ts';
import type { Changeset } from '../state/changeset.ts';
import type { FileStat } from '../state/patch.ts';
import type { AgentRunRecord } from '../state/session-schema.ts';
import type { Task, TaskStatus } from '../state/task-schema.ts';
import type { DiagnosticsRerun, Verdict } from '../state/verdict.ts';
import type { PredictedConflicts } from './status-view.ts';

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
  readonly verifications: readonly DiagnosticsRerun[];
  /** Whether its evidence came out differently when checked again. */
  readonly doubts: readonly EvidenceDoubt[];
  /** Notes that its worker left for later tasks, and those the lead left for it. */
  readonly notes: readonly NoteWithState[];
  /** Why it is not worked on now, one line each. */
  readonly waits_for: readonly string[];
  /** Agents that worked on it and were paid for: workers, validators, mergers. */
  readonly runs: readonly AgentRunRecord[];
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
  readonly conflicts_ahead?: PredictedConflicts;
  /** Commands to continue with, the likeliest first. */
  readonly next: readonly string[];
}

/** One note for later tasks, and whether agents get it. */
export interface NoteWithState extends BlackboardNote {
  /** The task whose worker left it; null: the lead did. */
  readonly task: string | null;
  /**
   * active: agents it is for get it · elsewhere: another clone left it, and no person accepted it here · void: the
   * attempt that left it is not the one whose work counts.
   */
  readonly state: 'active' | 'elsewhere' | 'void';
}

/** A task as a graph shows it. */
export interface GraphTask {
  readonly id: string;
  readonly title: string;
  /** proposed: its plan waits for a person. */
  readonly status: TaskStatus | 'proposed';
  readonly group: string;
  /** Ids of tasks whose work it builds on; those that are not in the graph are not drawn. */
  readonly dependencies: readonly string[];
}
