import type { ChangesetDecision } from '../questions/changeset-answers.ts';
import type { Changeset, ChangesSinceSeen } from '../state/changeset.ts';
import type { LineComment } from '../state/line-comment.ts';
import type { LineRange } from '../state/line-range.ts';
import type { ReadingGuide } from '../state/reading-guide.ts';
import type { Session } from '../state/session-schema.ts';
import type { Task } from '../state/task-schema.ts';
import type { Verdict } from '../state/verdict.ts';
import type { AuditSummary } from './agent-port.ts';

export type { ChangesetDecision } from '../questions/changeset-answers.ts';

export interface ChangesetQuestion {
  readonly changeset: Changeset;
  readonly position: number;
  readonly total: number;
  readonly tasks: readonly Task[];
  readonly verdicts: readonly Verdict[];
  /** Tasks whose evidence is in doubt, and why: to be looked at by hand before deciding. */
  readonly doubts?: readonly EvidenceDoubt[];
  /** Calls that the watcher refused to its agents, where there were any. */
  readonly blocked?: readonly BlockedCalls[];
  /** Changes since the person saw it last; absent: they never did. */
  readonly since?: ChangesSinceSeen;
  readonly session: Session;
  /** The order it is read in, and what deserves a second look; null: its diff can't be read. Read once. */
  readGuide?(): Promise<ReadingGuide | null>;
  /** Its diff, in the order of the guide. */
  showDiff(): Promise<string>;
  /** Shows its commit message; absent where the commits of its tasks land, with their own. */
  showMessage?(): Promise<string>;
  /** The difference to what they saw; where `since` is there. */
  showInterdiff?(): Promise<string>;
  /** Why a comment may be meant for another line, a sentence; null: its line is there. */
  strayComment?(comment: LineComment): Promise<string | null>;
  /** Lines of a file as the changeset leaves it; null: they are not there. */
  linesOf?(path: string, range: LineRange): Promise<readonly string[] | null>;
  /**
   * Records the decision on another changeset of this review at once, out of turn. Throws FlameErrors: of kind
   * `refused` when it no longer waits, or builds upon one that isn't approved.
   */
  decideOther(id: string, decision: ChangesetDecision & { readonly where?: 'terminal' | 'review page' }): Promise<void>;
  /** Decisions of this review that can be taken back: nothing of them has landed. */
  undoable?(): Promise<readonly Changeset[]>;
  /**
   * Takes a decision back at once: that changeset waits again. The open question may have to be asked again then: the
   * answer is `again`. Throws FlameErrors of kind `refused`.
   */
  takeBack?(id: string, where: 'terminal' | 'review page'): Promise<void>;
  /**
   * The effect of rejecting a changeset of this review, or these tasks of it, on the work that was built on it;
   * computed by merging.
   */
  onTop?(id: string, tasks?: readonly string[]): Promise<readonly StackedWorkOutcome[]>;
  /** The commit message of a changeset of this review; null where the commits of its tasks land, with their own. */
  messageOf?(id: string): Promise<string | null>;
  /** Why it can't land with a message, a sentence; null: it can. */
  checkMessage?(id: string, message: string): Promise<string | null>;
  /** Which other changesets of this review can't land together with one; computed by merging. */
  excluding?(id: string): Promise<readonly ConflictingChangeset[]>;
}
/** A changeset that conflicts with the one that is asked about. */
export interface ConflictingChangeset {
  readonly group: string;
  /** Else it waits, too. */
  readonly isApproved: boolean;
  /** Where, at least one. */
  readonly paths: readonly string[];
}
/** Finished work that stands on other work, and what becomes of it without that. */
export interface StackedWorkOutcome {
  readonly task: string;
  readonly group: string;
  /**
   * stands: its own change is put on what remains, and checked again; conflicts: it goes back to its worker; waits: its
   * dependency is gone, and it is kept until it can be put on a replacement; again: it is done again.
   */
  readonly outcome: 'stands' | 'conflicts' | 'waits' | 'again';
  /** Where it conflicts. */
  readonly paths: readonly string[];
}
/** Calls of one agent that the watcher blocked. */
export interface BlockedCalls extends Pick<AuditSummary, 'blocked' | 'top'> {
  readonly agent: string;
}
export interface EvidenceDoubt {
  readonly task: string;
  readonly commit: string;
  /** One line each. */
  readonly reasons: readonly string[];
}
