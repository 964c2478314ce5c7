import type { Decisions } from '../../domain/config/decisions.ts';
import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import type { Io } from '../../domain/shown/io.ts';
import { announcedGates, type WaitingFacts } from './announced-gates.ts';
import { createDecisionGates, type DecisionGatesOptions } from './decision-gates.ts';
import { interruptedGates } from './interrupted-gates.ts';
import { createNoGates } from './no-gates.ts';
import { editablePlans } from './plan-text.ts';
import { type PageOpener, type QueueAccess, type SharedGatesOptions, sharedGates } from './shared-gates.ts';
import { createTerminalGates, hasTerminal, type TerminalGatesOptions } from './terminal-gates.ts';

interface GatesOptions extends TerminalGatesOptions {
  /** What --decisions-file held; null without one. */
  readonly decisions: Decisions | null;
  readonly readFile: DecisionGatesOptions['readFile'];
  /** Told when a gate waits for a person; not when it was answered beforehand. */
  readonly onWaiting?: (facts: WaitingFacts, over: AbortSignal) => Promise<void>;
  /** Told of each changeset that is put before the person; not of those that were answered beforehand. */
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
    ...{ page: reviewPage, queue, plans: editablePlans(options), interrupted: io.signal },
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
