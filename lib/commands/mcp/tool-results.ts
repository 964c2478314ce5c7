import type { CallToolResult } from '@modelcontextprotocol/server';
import { FlameError } from '../../domain/flame-error.ts';
import { markInvisible, renderPrintableJsonLine } from '../../ui/text/printable-text.ts';
import { errorMessage } from '../../util/error-text.ts';
import { parseJsonRecord } from '../../util/json.ts';

/** So much of an answer reaches the model of every client whole. */
const longestAnswer = 40_000;
const mostDetails = 20;
const mostHints = 5;

/**
 * A value as JSON in a text block and, for most clients, as structured content: the same to the letter, so that clients
 * which show both where they differ show it once. What a screen or a reader could take for something else is marked in
 * both: clients print structured content unescaped. Throws FlameError `too-long`.
 */
export function toToolResult(value: Readonly<Record<string, unknown>>, isStructured: boolean): CallToolResult {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? markInvisible(one) : one));
  if (text.length > longestAnswer)
    throw new FlameError({
      kind: 'refused',
      code: 'too-long',
      message: `The answer has ${text.length} characters, but at most ${longestAnswer} are allowed.`,
      hints: ['Ask for a smaller part: one task, an offset, fewer lines'],
      hintsFor: 'model',
    });
  const structured = isStructured ? { structuredContent: parseJsonRecord(text) } : {};
  return { content: [{ type: 'text', text }], ...structured };
}

/** An error as a tool result for the model: what failed, why, and what to do next. */
export function toToolFailure(error: FlameError, personInstruction: string): CallToolResult {
  const { code, message, lines } = error;
  const shown = lines.slice(0, mostDetails).map((line) => line.slice(0, 500));
  const left = lines.length - shown.length;
  const details = left > 0 ? [...shown, `and ${left} more`] : shown;
  const failed = {
    code,
    message: message.slice(0, 2_000),
    ...(details.length === 0 ? {} : { details }),
    ...adviseModelOnError(error, personInstruction),
  };
  return { isError: true, content: [{ type: 'text', text: renderPrintableJsonLine({ error: failed }) }] };
}

export function toolErrorToFlameError(error: unknown): FlameError {
  if (error instanceof FlameError) return error;
  const reason = errorMessage(error);
  return new FlameError({
    kind: 'internal',
    code: 'tool-failed',
    message: `The tool failed: ${reason.split('\n')[0]?.slice(0, 300) ?? ''}`,
    hints: ['get_status shows the current state; report it to the project lead'],
    hintsFor: 'model',
    cause: error,
  });
}

/** Instruction to a model in a chat to report what only the person can repair. */
export const chatModelInstruction =
  'Only the project lead can fix this: report it, with the commands in for_lead, then call it again';

/** A lead agent's next step after an error. */
export interface ErrorAdvice {
  readonly next: readonly string[];
  /** Commands and changes that only the person can make; absent: nothing is left to them. */
  readonly for_lead?: readonly string[];
}

/**
 * Advises a model on an error: hints are commands for a person as a rule, and a model has its tools alone. `personInstruction`
 * is how the person learns what only they can repair.
 */
export function adviseModelOnError({ code, hints, hintsFor }: FlameError, personInstruction: string): ErrorAdvice {
  if (hintsFor === 'model' && hints.length > 0) return { next: hints.slice(0, mostHints) };
  const way = ways[code];
  if (way !== undefined) return { next: [way] };
  return {
    next: [personInstruction],
    ...(hints.length === 0 ? {} : { for_lead: hints.slice(0, mostHints) }),
  };
}

const again = 'Call it again in a moment; if it fails again, report it to the lead';
const look = 'It has changed: get_status shows the current state';
const begin = 'create_tasks with an objective starts another one';

/** Ways for a model to handle errors that a person meets as well, by their codes. */
const ways: Readonly<Partial<Record<string, string>>> = {
  'bad-note': 'leave_note with other words, or for fewer',
  'bad-plan': 'Fix these tasks and call create_tasks again',
  'branch-moved': again,
  'changed-meanwhile': again,
  'illegal-transition': look,
  'no-session': 'create_tasks with an objective starts one',
  'no-task': 'get_status lists the tasks',
  'secret-in-note': 'Name the place of the credential, not its value',
  'session-archived': begin,
  'session-busy': 'Another command of the lead is working on it: call it again once that has ended',
  'session-ended': begin,
  'session-over': begin,
  'session-open': 'The session exists now: call create_tasks again without objective, to add to it',
  'state-busy': again,
  'task-not-editable': look,
  'too-many-notes': 'Leave it out: workers receive the existing notes',
  'verdict-for-other-commit': look,
};
