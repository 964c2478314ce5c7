import type { ChangesetDecision, ChangesetQuestion, Gates } from '../../domain/ports/gates.ts';
import type { Io } from '../../domain/shown/io.ts';
import { askBase } from './ask-base.ts';
import { askBudget } from './ask-budget.ts';
import { askChangeset, type Elsewhere } from './ask-changeset.ts';
import { askPlan, type PlanText } from './ask-plan.ts';
import { askLeftOver, askSession } from './ask-session.ts';
import { askValidation, askValidatorFailed } from './ask-validation.ts';
import { createGateContext, type GateSettings } from './gate-context.ts';

export interface TerminalGatesOptions extends GateSettings, PlanText {
  readonly person: string;
}

/** Gates at a terminal; a question can be withdrawn while it is asked, when it was answered elsewhere. */
export interface TerminalGates extends Gates {
  changeset(question: ChangesetQuestion, elsewhere?: Elsewhere): Promise<ChangesetDecision>;
}

/** Gates a person answers at the terminal: questions on stderr, answers from stdin. */
export function createTerminalGates(io: Io, options: TerminalGatesOptions): TerminalGates {
  const context = createGateContext(io, options);
  return {
    person: options.person,
    isInteractive: true,
    plan: (question) => askPlan(context, question, options),
    validation: (question) => askValidation(context, question),
    validatorFailed: (question) => askValidatorFailed(context, question),
    changeset: (question, elsewhere) => askChangeset(context, question, elsewhere),
    session: (question) => askSession(context, question),
    leftOver: (question) => askLeftOver(context, question),
    budget: (question) => askBudget(context, question),
    base: (question) => askBase(context, question),
  };
}

/** Whether a person can be asked: questions need stdin and stderr at a terminal. */
export function hasTerminal(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}
