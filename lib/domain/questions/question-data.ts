import type { AgentQuestion } from '../agent-messages.ts';
import type { SessionId } from '../ids.ts';
import type { Changeset } from '../state/changeset.ts';
import type { TaskStatus } from '../state/task-schema.ts';
import type { GuideChapterData } from './guide-summary.ts';

/** A question that waits for a person, as pages show it. Texts are as they are stored. */
export interface PendingQuestion {
  /** Of this one question: an answer carries it, so that none is taken for another's. */
  readonly id: string;
  /** null: none is known yet. */
  readonly session: SessionId | null;
  readonly asked_at: string;
  readonly asks: QuestionData;
}

/** Questions with the facts to answer them. */
export type QuestionData =
  | PlanQuestionData
  | ValidationQuestionData
  | ValidatorQuestionData
  | ChangesetQuestionData
  | SessionQuestionData
  | BudgetQuestionData
  | FailingBaseQuestionData
  | AgentQuestionData;

export interface PlanQuestionData {
  readonly gate: 'plan';
  readonly objective: string;
  readonly tasks: number;
  /** With mistakes it can't be approved. */
  readonly problems: readonly string[];
  /** Notes beside the tasks: the cost, what is dropped or overlaps, what another clone sent. */
  readonly notes: readonly string[];
  readonly replans_left: number;
  /** The effect of quitting, a clause. */
  readonly quit_means: string;
}

export interface CheckDescription {
  readonly command: string;
  readonly result: string;
  readonly is_good: boolean;
  readonly output: string;
}

/** Another attempt at a task that could be its work. */
export interface ChoosableAttempt {
  readonly task: string;
  /** From 1. */
  readonly attempt: number;
  readonly words: string;
}

export interface ValidationQuestionData {
  readonly gate: 'validation';
  readonly task: string;
  readonly title: string;
  readonly by: string;
  readonly notes: string;
  readonly issues: readonly string[];
  readonly checks: readonly CheckDescription[];
  /** Text that may be changed when it is sent back. */
  readonly description: string;
  readonly file_locks: readonly string[];
  readonly others: readonly ChoosableAttempt[];
}

export interface ValidatorQuestionData {
  readonly gate: 'validator_failed';
  readonly task: string;
  readonly title: string;
  readonly reason: string;
  readonly checks: readonly CheckDescription[];
  /** A pass by hand needs the reason why. */
  readonly red: boolean;
}

export interface ChangesetQuestionData
  extends Pick<Changeset, 'id' | 'group' | 'commit' | 'diffstat' | 'depends_on' | 'missing'> {
  readonly gate: 'changesets';
  readonly position: number;
  readonly total: number;
  readonly tasks: readonly {
    readonly id: string;
    readonly title: string;
    readonly verdict: 'pass' | 'fail' | null;
    readonly notes: string;
  }[];
  /** Remarks on its pull request that it answers, a line each; left out where there are none. */
  readonly answers?: readonly string[];
  /** The order it is read in; left out where its diff can't be read. */
  readonly guide?: readonly GuideChapterData[];
  /** An approval needs the reason why. */
  readonly red: boolean;
  readonly checks: readonly CheckDescription[];
  /** Warnings about it, a sentence each. */
  readonly warnings: readonly string[];
  /** Effects of rejecting it on work that was built on it, a sentence each. */
  readonly on_top: readonly string[];
  readonly others: readonly ChoosableAttempt[];
  /** Whether what it lands with can be written. */
  readonly has_message: boolean;
  readonly undoable: readonly UndoableChangeset[];
}

/** A decision that can be taken back. */
export interface UndoableChangeset extends Pick<Changeset, 'id' | 'group' | 'state'> {
  readonly reason: string;
}

export interface SessionQuestionData {
  readonly gate: 'session';
  /** continue is no answer where nothing is left to continue with. */
  readonly answers: readonly ('continue' | 'retry' | 'replan' | 'stop' | 'undo')[];
  readonly cycle: number;
  readonly cycles_left: number;
  /** How the cycle went: names and figures. */
  readonly results: readonly (readonly [name: string, value: string])[];
  /** Tasks that were sent back, failed or are blocked, each with why in one line. */
  readonly troubled: readonly {
    readonly id: string;
    readonly title: string;
    readonly status: TaskStatus;
    readonly why: string;
  }[];
  /** What each answer leads to. */
  readonly lines: readonly string[];
  readonly undoable: readonly UndoableChangeset[];
}

export interface BudgetQuestionData {
  readonly gate: 'budget';
  readonly spent: number;
  readonly limit: number;
  readonly unit: 'usd' | 'tokens';
}

export interface FailingBaseQuestionData {
  readonly gate: 'base';
  readonly failing: readonly string[];
}

/** Question of an agent at work. */
export interface AgentQuestionData {
  readonly gate: 'question';
  readonly agent: string;
  readonly task: string | null;
  readonly title: string;
  readonly questions: readonly AgentQuestion[];
  /** When it must go on by itself, ISO. */
  readonly until: string;
}

/** A question that was answered while its run still goes. */
export interface AnsweredQuestion {
  readonly id: string;
  readonly session: SessionId | null;
  readonly gate: QuestionData['gate'];
  /** `the plan`, `task-001`, `changeset auth`. */
  readonly about: string;
  /** `approved`, `rejected: too early`. */
  readonly answer: string;
  readonly where: AnsweringPlace;
  readonly by: string;
  readonly at: string;
}

/** A run's open question, and those answered lately; the newest first. */
export interface RunQuestionsState {
  readonly open: PendingQuestion | null;
  readonly decided: readonly AnsweredQuestion[];
  /** Conflicts ahead that the run found, and what it warned of, a sentence each, the latest first. */
  readonly warnings: readonly string[];
}

/** An answer as it is given, not looked at yet. */
export interface UncheckedAnswer {
  /** Of the question that was seen. */
  readonly gate: string;
  readonly answer: unknown;
  readonly where: AnsweringPlace;
}

/** A text of a question that is asked for: the plan to edit, the diff, the message it lands with. */
export type QuestionTextKind = 'plan' | 'diff' | 'message';

/** Where a run's questions are seen and answered, in its own process or from another one. */
export interface QuestionChannel {
  read(): RunQuestionsState;
  /** Resolves once it counts. Throws FlameErrors: it is no valid answer, or another one came first. */
  answer(given: UncheckedAnswer): Promise<void>;
  /** null: there is none. */
  text(gate: string, what: QuestionTextKind): Promise<string | null>;
  /** Calls back after each change, until the returned function is called. */
  watch(onChange: () => void): () => void;
}

/** Where a question was answered. */
export type AnsweringPlace = 'terminal' | 'board' | 'review page' | 'command';

/** The places as words of a sentence. */
export const answeringPlaceWords: Readonly<Record<AnsweringPlace, string>> = {
  terminal: 'at the terminal',
  board: 'on the board',
  'review page': 'on the review page',
  command: 'by a command',
};
