import type { Decisions } from '../domain/decisions.ts';
import type { Gates } from '../domain/gates.ts';
import type { Io } from '../domain/io.ts';
import { createDecisionGates, type DecisionGatesOptions } from './decision-gates.ts';
import { createNoGates } from './no-gates.ts';
import { createTerminalGates, hasTerminal, type TerminalGatesOptions } from './terminal-gates.ts';

export interface GatesOptions extends TerminalGatesOptions {
  /** What --decisions-file held; null without one. */
  readonly decisions: Decisions | null;
  readonly readFile: DecisionGatesOptions['readFile'];
}

/** The gates of a command: decisions given beforehand, then the terminal, then nobody. */
export function createGates(io: Io, options: GatesOptions): Gates {
  const fallback = hasTerminal(io) ? createTerminalGates(io, options) : createNoGates(options);
  const { decisions, readFile, parsePlan } = options;
  return decisions === null ? fallback : createDecisionGates({ decisions, fallback, readFile, parsePlan });
}
