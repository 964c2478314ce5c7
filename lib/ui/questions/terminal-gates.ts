import type { Gates, LeftOverDecision, SessionQuestion } from '../../domain/ports/gates.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { PlanText } from './about-plan.ts';
import { askChangeset } from './ask-changeset.ts';
import { askForAgent } from './ask-for-agent.ts';
import { askPlan } from './ask-plan.ts';
import { askBase, askBudget, askLeftOver, askSession } from './ask-run.ts';
import { askValidation, askValidatorFailed } from './ask-validation.ts';
import { createGateContext, type GateSettings } from './gate-context.ts';
import { keepComments } from './kept-comments.ts';

export interface TerminalGatesOptions extends GateSettings, PlanText {
  readonly person: string;
}

/** Gates at a terminal; each question can be withdrawn while it is asked, when it was answered elsewhere. */
export interface TerminalGates {
  readonly person: string;
  /** The gates whose questions end with `withdrawn`; `openPage` opens the review page, where one can be. */
  until(elsewhere?: Elsewhere): AskingGates;
}

/** Gates that always ask. */
export interface AskingGates extends Required<Gates> {
  leftOver(question: SessionQuestion): Promise<LeftOverDecision>;
}

/** Gates a person answers at the terminal: questions on stderr, answers from stdin. */
export function createTerminalGates(io: Io, options: TerminalGatesOptions): TerminalGates {
  const kept = keepComments();
  const until = ({ withdrawn, openPage }: Elsewhere = {}): AskingGates => {
    const context = createGateContext(io, options, withdrawn);
    return {
      person: options.person,
      isInteractive: true,
      plan: (question) => askPlan(context, question, options),
      validation: (question) => askValidation(context, question),
      validatorFailed: (question) => askValidatorFailed(context, question),
      changeset: (question) => askChangeset(context, question, { kept, openPage }),
      session: (question) => askSession(context, question),
      leftOver: (question) => askLeftOver(context, question),
      budget: (question) => askBudget(context, question),
      base: (question) => askBase(context, question),
      question: (question) => askForAgent(context, question),
    };
  };
  return { person: options.person, until };
}

/** Links questions at the terminal with other places. */
export interface Elsewhere {
  /** Aborts when the question was answered there. */
  readonly withdrawn?: AbortSignal | undefined;
  /** Opens the review page; absent where there is none, or it is open already. */
  readonly openPage?: (() => Promise<void>) | undefined;
}

/** Whether a person can be asked: questions need stdin and stderr at a terminal. */
export function hasTerminal(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}
