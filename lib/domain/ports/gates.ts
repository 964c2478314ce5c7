import type { AgentQuestion } from '../agent-messages.ts';
import type { ChangesetDecision } from '../questions/changeset-answers.ts';
import type {
  AnswerToAgent,
  BudgetDecision,
  FailingBaseDecision,
  PlanDecision,
  SessionDecision,
} from '../questions/plan-session-budget-answers.ts';
import type { AnsweringPlace } from '../questions/question-data.ts';
import type { RequeuedTaskEdit, ValidationDecision, ValidatorFailedDecision } from '../questions/validation-answers.ts';
import type { Changeset } from '../state/changeset.ts';
import type { Plan } from '../state/plan-schema.ts';
import type { Session } from '../state/session-schema.ts';
import type { Task } from '../state/task-schema.ts';
import type { DiagnosticRun, Verdict } from '../state/verdict.ts';
import type { ChangesetQuestion } from './changeset-question.ts';

export type {
  AnswerToAgent as AgentAnswer,
  BudgetDecision,
  FailingBaseDecision as BaseDecision,
  PlanDecision,
  SessionDecision,
} from '../questions/plan-session-budget-answers.ts';
export type {
  RequeuedTaskEdit as RequeueEdit,
  ValidationDecision,
  ValidatorFailedDecision,
} from '../questions/validation-answers.ts';

/** A decision, with where it was taken; of who knows no such place, without. */
export type DecisionWithPlace<Decision> = Decision & { readonly where?: DecisionPlace };
export type DecisionPlace = AnsweringPlace | 'decisions file';

/** Decisions of a person. A gate that no person can answer throws a FlameError of kind `waiting`. */
export interface Gates {
  plan(question: PlanQuestion): Promise<DecisionWithPlace<PlanDecision>>;
  validation(question: ValidationQuestion): Promise<DecisionWithPlace<ValidationDecision>>;
  validatorFailed(question: ValidatorFailedQuestion): Promise<DecisionWithPlace<ValidatorFailedDecision>>;
  changeset(question: ChangesetQuestion): Promise<DecisionWithPlace<ChangesetDecision>>;
  session(question: SessionQuestion): Promise<DecisionWithPlace<SessionDecision>>;
  /**
   * Nothing of a session is open any more, but tasks failed or are blocked. null, or absent: no person can be
   * asked, and the session ends.
   */
  leftOver?(question: SessionQuestion): Promise<DecisionWithPlace<UnfinishedSessionDecision> | null>;
  budget(question: BudgetQuestion): Promise<DecisionWithPlace<BudgetDecision>>;
  /**
   * Before agents are paid although diagnostics fail on the base; absent without a terminal: a warning is
   * shown instead.
   */
  base?(question: FailingBaseQuestion): Promise<DecisionWithPlace<FailingBaseDecision>>;
  /**
   * An agent asks while it works. Rejects with the reason of `withdrawn` once that is aborted; absent: no person can be
   * asked.
   */
  question?(question: AskedAgentQuestions): Promise<DecisionWithPlace<AnswerToAgent>>;
  /** The deciding person, for the record: their git identity. */
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
  readonly overlap?: { readonly kind: 'build-on' | 'separate'; readonly tasks: readonly PlannedOverlap[] };
  /** Tasks that are dropped once the plan is approved; absent: none are. */
  readonly dropped?: readonly string[];
  /** Locks of tasks that match no file there is, and files that may be meant; absent: none. */
  readonly unmatched?: readonly {
    readonly task: string;
    readonly locks: readonly string[];
    readonly close: readonly string[];
  }[];
  /** Groups that will not be decided one by one; absent: all will. */
  readonly circles?: readonly PlannedGroupCircle[];
  readonly problems: readonly string[];
  readonly replansLeft: number;
  /** The effect of quitting: the session goes on without the plan, or it stays as it was received; absent: it ends. */
  readonly quit?: 'goes-on' | 'kept';
  /** Where another clone decided what is asked about: the parts that are new here or changed, a line each. */
  readonly received?: readonly string[];
  /** Of what was received: every text that runs or that an agent reads, whole. */
  readonly agentTexts?: readonly { readonly task: string; readonly name: string; readonly text: string }[];
  /** Finds problems of another plan; task: null of the plan as a whole. */
  check?(plan: Plan): readonly { readonly task: string | null; readonly message: string }[];
}
/** A task and the earlier ones of its plan that it shares files with. */
export interface PlannedOverlap {
  readonly task: string;
  readonly below: readonly { readonly task: string; readonly lock: string }[];
}
/** Groups of a plan that depend on each other, and the parts of one that others come between. */
export interface PlannedGroupCircle {
  readonly kind: 'together' | 'in-parts';
  readonly groups: readonly string[];
}
export interface ValidationQuestion {
  readonly task: Task;
  readonly verdict: Verdict;
  /** Finds problems of the task by the rules of plans, if it were sent back with this edit. */
  editProblems(edit: RequeuedTaskEdit): Promise<readonly string[]>;
  /** The diff of its work, as git shows it. */
  showDiff(): Promise<string>;
}
export interface ValidatorFailedQuestion {
  readonly task: Task;
  readonly reason: string;
  /** Results of the commit's checks; none are configured: none. */
  readonly diagnostics: readonly DiagnosticRun[];
  showDiff(): Promise<string>;
}
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
  /** Decisions of the cycle that can still be taken back; absent: none. */
  readonly undoable?: readonly Changeset[];
}
/** stop: the session ends. */
export type UnfinishedSessionDecision = Exclude<SessionDecision, { kind: 'continue' | 'undo' }>;

export interface BudgetQuestion {
  readonly spent: number;
  readonly limit: number;
  readonly unit: 'usd' | 'tokens';
}
export interface AskedAgentQuestions {
  readonly agent: string;
  readonly task: string | null;
  /** Of its task; of an agent without one, its role. */
  readonly title: string;
  readonly questions: readonly AgentQuestion[];
  /** When it must go on by itself, ISO; once the person is asked, the time that `laid` returned. */
  readonly until: string;
  /** Called once its turn in the queue of questions has come: from then on its time runs. */
  laid?(): string;
  /** It has ended, or that time is over. */
  readonly withdrawn: AbortSignal;
}
export interface FailingBaseQuestion {
  /** The commit of the base that they fail on. */
  readonly commit: string;
  /** Failures there already, a clause each. */
  readonly failing: readonly string[];
}
