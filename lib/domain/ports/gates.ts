import type { Changeset } from '../state/changeset.ts';
import type { LineComment } from '../state/line-comment.ts';
import type { Plan } from '../state/plan.ts';
import type { Session } from '../state/session.ts';
import type { SinceSeen } from '../state/since-seen.ts';
import type { Task } from '../state/task.ts';
import type { DiagnosticRun, Verdict } from '../state/verdict.ts';
import type { AuditSummary } from './agent-port.ts';

/** What a person decides. A gate that no person can answer throws a FlameError of kind `waiting`. */
export interface Gates {
  plan(question: PlanQuestion): Promise<PlanDecision>;
  validation(question: ValidationQuestion): Promise<ValidationDecision>;
  validatorFailed(question: ValidatorFailedQuestion): Promise<ValidatorFailedDecision>;
  changeset(question: ChangesetQuestion): Promise<ChangesetDecision>;
  session(question: SessionQuestion): Promise<SessionDecision>;
  /**
   * Nothing of a session is open any more, but tasks failed or are blocked. null, or absent: no person can be
   * asked, and the session ends.
   */
  leftOver?(question: SessionQuestion): Promise<LeftOverDecision | null>;
  budget(question: BudgetQuestion): Promise<BudgetDecision>;
  /**
   * Before agents are paid although diagnostics fail on the base; absent without a terminal: a warning is
   * shown instead.
   */
  base?(question: BaseQuestion): Promise<BaseDecision>;
  /** Who decides, for the record: the person's git identity. */
  readonly person: string;
  /** Whether a person sits at a terminal: an interactive planner needs one. */
  readonly isInteractive: boolean;
}

export interface PlanQuestion {
  readonly objective: string;
  readonly plan: Plan;
  /** Task ids by wave, as the scheduler would run them. */
  readonly waves: readonly (readonly string[])[];
  readonly estimate: { readonly base_usd: number; readonly with_retries_usd: number } | null;
  /** Tasks that share files with earlier ones, and what that means (`concurrency.overlap`); absent: none do. */
  readonly overlap?: { readonly kind: 'build-on' | 'separate'; readonly tasks: readonly PlannedGround[] };
  /** Tasks that are dropped once the plan is approved; absent: none are. */
  readonly dropped?: readonly string[];
  /** Groups that will not be decided one by one; absent: all will. */
  readonly circles?: readonly PlannedCircle[];
  readonly problems: readonly string[];
  readonly replansLeft: number;
  /** Where another clone decided what is asked about: the parts that are new here or changed, a line each. */
  readonly received?: readonly string[];
  /** Of what was received: every text that runs or that an agent reads, whole. */
  readonly told?: readonly { readonly task: string; readonly name: string; readonly text: string }[];
  /** What would be wrong with another plan; task: null of the plan as a whole. */
  check?(plan: Plan): readonly { readonly task: string | null; readonly message: string }[];
}
/** A task and the earlier ones of its plan that it shares files with. */
export interface PlannedGround {
  readonly task: string;
  readonly below: readonly { readonly task: string; readonly lock: string }[];
}
/** Groups of a plan that depend on each other, and the parts of one that others come between. */
export interface PlannedCircle {
  readonly kind: 'together' | 'in-parts';
  readonly groups: readonly string[];
}
export type PlanDecision =
  | { readonly kind: 'approve' }
  | { readonly kind: 'edit'; readonly plan: Plan }
  | { readonly kind: 'replan'; readonly notes: string }
  | { readonly kind: 'quit' };

export interface ValidationQuestion {
  readonly task: Task;
  readonly verdict: Verdict;
}
export type ValidationDecision =
  | {
      readonly kind: 'requeue';
      readonly notes: string;
      readonly description?: string;
      readonly file_locks?: readonly string[];
      /** The next attempt starts from this work, not from the base. */
      readonly keep?: boolean;
    }
  /** It passes all the same; override: the reason why, which stays with the verdict. */
  | { readonly kind: 'pass'; readonly override: string }
  /** reason: why it is given up; none: that a person did. */
  | { readonly kind: 'drop'; readonly reason?: string }
  /** Another of its attempts, from 1, is its work, and judged. */
  | { readonly kind: 'choose'; readonly attempt: number };

export interface ValidatorFailedQuestion {
  readonly task: Task;
  readonly reason: string;
  /** What the checks of the commit came to; none are configured: none. */
  readonly diagnostics: readonly DiagnosticRun[];
  showDiff(): Promise<string>;
}
/**
 * manual: the person judged the diff; skip: the task fails; retry: another validator. Where a diagnostic failed, a
 * manual pass needs the reason why as `override`.
 */
export type ValidatorFailedDecision =
  | {
      readonly kind: 'manual';
      readonly status: 'pass' | 'fail';
      readonly notes: string;
      readonly override?: string;
    }
  | { readonly kind: 'skip' }
  | { readonly kind: 'retry' };

export interface ChangesetQuestion {
  readonly changeset: Changeset;
  readonly position: number;
  readonly total: number;
  readonly tasks: readonly Task[];
  readonly verdicts: readonly Verdict[];
  /** Tasks whose evidence is in doubt, and why: to be looked at by hand before deciding. */
  readonly doubts?: readonly EvidenceDoubt[];
  /** What the watcher refused to the agents that worked on it, where it refused anything. */
  readonly blocked?: readonly BlockedCalls[];
  /** What changed since the person saw it last; absent: they never did. */
  readonly since?: SinceSeen;
  readonly session: Session;
  showDiff(): Promise<string>;
  /** What it lands with; absent where the commits of its tasks land, with their own. */
  showMessage?(): Promise<string>;
  /** The difference to what they saw; where `since` is there. */
  showInterdiff?(): Promise<string>;
  /** Why a comment may be meant for another line, a sentence; null: its line is there. */
  strayComment?(comment: LineComment): Promise<string | null>;
  /**
   * Records the decision on another changeset of this review at once, out of turn. Throws FlameErrors: of kind
   * `refused` when it no longer waits, or builds upon one that isn't approved.
   */
  decideOther(id: string, decision: ChangesetDecision): Promise<void>;
  /** What was decided in this review and can be taken back: nothing of it has landed. */
  undoable?(): Promise<readonly Changeset[]>;
  /**
   * Takes a decision back at once: that changeset waits again. What is asked about now may have to be asked anew then:
   * the answer is `again`. Throws FlameErrors of kind `refused`.
   */
  takeBack?(id: string): Promise<void>;
  /**
   * What rejecting a changeset of this review, or these tasks of it, would mean for the work that was built on it;
   * computed by merging.
   */
  onTop?(id: string, tasks?: readonly string[]): Promise<readonly OnTop[]>;
  /** What a changeset of this review lands with; null where the commits of its tasks land, with their own. */
  messageOf?(id: string): Promise<string | null>;
  /** Why it can't land with a message, a sentence; null: it can. */
  checkMessage?(id: string, message: string): Promise<string | null>;
  /** Which other changesets of this review can't land together with one; computed by merging. */
  excluding?(id: string): Promise<readonly Excluding[]>;
}
/** A changeset that conflicts with the one that is asked about. */
export interface Excluding {
  readonly group: string;
  /** Else it waits, too. */
  readonly isApproved: boolean;
  /** Where, at least one. */
  readonly paths: readonly string[];
}
/** Finished work that stands on other work, and what becomes of it without that. */
export interface OnTop {
  readonly task: string;
  readonly group: string;
  /**
   * stands: its own change is put on what remains, and checked again; conflicts: it goes back to its worker; waits: it
   * depends on what is gone, and is kept until its change can be put on what comes instead; again: it is done again.
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
/** A red changeset (failing diagnostics) can be approved only with an override reason. */
export type ChangesetDecision =
  | {
      readonly kind: 'approve';
      readonly override?: string;
      /** Remarks that are kept with the landing. */
      readonly comments?: readonly LineComment[];
      /** What it lands with instead of the message that was shown; who it is of is added. */
      readonly message?: string;
      /** The commit that is meant, or how it begins; null: none was shown. Absent: the one asked about. */
      readonly commit?: string | null;
    }
  | {
      readonly kind: 'reject';
      readonly reason: string;
      /** Those of its tasks that are sent back; the others go on, in a changeset of their own. Absent: all of them. */
      readonly tasks?: readonly string[];
      readonly comments?: readonly LineComment[];
      /** The next attempts start from this work, not from the base. */
      readonly keep?: boolean;
    }
  | { readonly kind: 'skip' }
  /** Decides nothing: the first that waits is asked about. */
  | { readonly kind: 'again' }
  /** What was decided about another one is taken back, and the first that waits is asked about. */
  | { readonly kind: 'undo'; readonly changeset: string }
  /** Another attempt at one of its tasks, from 1, is that one's work: it is built again. */
  | { readonly kind: 'choose'; readonly task: string; readonly attempt: number }
  /** What the comments suggest is put on top of its tasks' work, as the person's own commits: it is built again. */
  | { readonly kind: 'suggest'; readonly comments: readonly LineComment[] };

export interface SessionQuestion {
  readonly session: Session;
  readonly tasks: readonly Task[];
  readonly summary: {
    readonly approved: number;
    readonly requeued: number;
    readonly blocked: number;
    readonly open: number;
    readonly failed: number;
  };
  /** The session's limit, raised by a person or not; 0: unlimited. */
  readonly budget?: { readonly unit: 'usd' | 'tokens'; readonly limit: number };
  readonly cyclesLeft: number;
  /** What was decided in the cycle and can still be taken back; absent: nothing. */
  readonly undoable?: readonly Changeset[];
}
export type SessionDecision =
  | { readonly kind: 'continue' }
  /** Continues, and what failed is tried again too. */
  | { readonly kind: 'retry' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'replan'; readonly notes: string }
  /** What was decided about a changeset is taken back: it waits again. */
  | { readonly kind: 'undo'; readonly changeset: string };
/** stop: the session ends. */
export type LeftOverDecision = Exclude<SessionDecision, { kind: 'continue' | 'undo' }>;

export interface BudgetQuestion {
  readonly spent: number;
  readonly limit: number;
  readonly unit: 'usd' | 'tokens';
}
/** amount: added to the limit, in its unit. */
export type BudgetDecision = { readonly kind: 'raise'; readonly amount: number } | { readonly kind: 'stop' };

export interface BaseQuestion {
  /** The commit of the base that they fail on. */
  readonly commit: string;
  /** What fails there already, a clause each. */
  readonly failing: readonly string[];
}
export type BaseDecision = 'go-on' | 'stop';
