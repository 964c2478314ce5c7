import type { Decisions } from '../../domain/config/decisions.ts';
import { FlameError, interrupted } from '../../domain/flame-error.ts';
import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import type { Io } from '../../domain/shown/command.ts';
import { changesetFacts } from './about-changeset.ts';
import { editablePlans } from './about-plan.ts';
import { sessionAsks } from './about-run.ts';
import { announcedGates, type WaitingFacts } from './announced-gates.ts';
import { createDecisionGates, type DecisionGatesOptions } from './decision-gates.ts';
import { type PageOpener, type QueueAccess, type SharedGatesOptions, sharedGates } from './shared-gates.ts';
import { createTerminalGates, hasTerminal, type TerminalGatesOptions } from './terminal-gates.ts';
import {
  type WaitingGate,
  waitingBudget,
  waitingChangeset,
  waitingPlan,
  waitingSession,
  waitingValidation,
  waitingValidator,
  waitsForPerson,
} from './waits-for-person.ts';
import { wrapGates } from './wrap-gates.ts';

interface GatesOptions extends TerminalGatesOptions {
  /** Decisions from --decisions-file; null without one. */
  readonly decisions: Decisions | null;
  readonly readFile: DecisionGatesOptions['readFile'];
  /** Called when a gate waits for a person; not when it was answered beforehand. */
  readonly onWaiting?: (facts: WaitingFacts, over: AbortSignal) => Promise<void>;
  /** Called with each changeset that a person is asked about; not with those that were answered beforehand. */
  readonly onAsked?: (question: ChangesetQuestion) => void;
  /** Where changesets can be decided in a browser too. */
  readonly reviewPage?: PageOpener | null;
  /** Where all of it can be decided on boards. */
  readonly queue?: QueueAccess | null;
  /** See SharedGatesOptions. */
  readonly onElsewhere?: SharedGatesOptions['onElsewhere'];
}

/**
 * The gates of a command: decisions given beforehand, then the terminal, boards and the review page; without these,
 * an error.
 */
export function createGates(io: Io, options: GatesOptions): Gates {
  const { decisions, readFile, parsePlan, onWaiting, onAsked, reviewPage = null, queue = null } = options;
  const person = sharedGates({
    alone: createNoGates(options),
    terminal: hasTerminal(io) ? createTerminalGates(io, options) : null,
    page: reviewPage,
    queue,
    plans: editablePlans(options),
    interrupted: io.signal,
    onElsewhere: options.onElsewhere ?? (() => undefined),
  });
  const interruptible = interruptedGates(person, options.resume);
  const asked: Gates = {
    ...interruptible,
    changeset: (question) => {
      onAsked?.(question);
      return interruptible.changeset(question);
    },
  };
  const fallback = onWaiting === undefined ? asked : announcedGates(asked, onWaiting);
  return decisions === null ? fallback : createDecisionGates({ decisions, fallback, readFile, parsePlan });
}

/**
 * Gates without a person: each throws the FlameError `waits-for-person` with the commands to continue with.
 */
export function createNoGates(options: { readonly person: string; readonly resume: string }): Gates {
  const { person, resume } = options;
  const wait = (waiting: WaitingGate): Promise<never> => Promise.reject(waitsForPerson(waiting, resume));
  return {
    person,
    isInteractive: false,
    plan: (question) => wait(waitingPlan(question)),
    validation: (question) => wait(waitingValidation(question)),
    validatorFailed: (question) => wait(waitingValidator(question)),
    changeset: async (question) => {
      const { id } = question.changeset;
      const onTop = (await question.onTop?.(id)) ?? [];
      const excluding = (await question.excluding?.(id)) ?? [];
      return wait(waitingChangeset(question, await changesetFacts(question), { onTop, excluding }));
    },
    session: (question) => wait(waitingSession(sessionAsks(question))),
    budget: (question) => wait(waitingBudget(question)),
  };
}

/** Gates that say at Ctrl-C what becomes of the question: `resume` is the command that asks it again. */
function interruptedGates(gates: Gates, resume: string): Gates {
  return wrapGates(
    gates,
    (ask) => (question) => ask(question).catch((error) => Promise.reject(atQuestion(error, resume))),
  );
}

function atQuestion(error: unknown, resume: string): unknown {
  if (!(error instanceof FlameError) || error.code !== 'interrupted' || error.hints.length > 0) return error;
  const message = 'Interrupted. The question is still open; what was decided before is kept.';
  return interrupted(message, { hints: [resume], cause: error });
}
