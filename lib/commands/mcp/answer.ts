import type { CallToolResult } from '@modelcontextprotocol/server';
import { FlameError } from '../../domain/flame-error.ts';
import { markInvisible, toJsonLine } from '../../ui/text/to-json-line.ts';
import { parseRecord } from '../../util/json-record.ts';
import { adviseModel } from './advise-model.ts';

/** So much of an answer reaches the model of every client whole. */
const longestAnswer = 40_000;
const mostDetails = 20;

/**
 * A value as JSON in a text block, and where the client's model reads no more for it, as structured content too: the same
 * to the letter, so that clients which show both where they differ show it once. What a screen or a reader could take for
 * something else is marked in both: clients write structured content out by themselves, unescaped.
 */
export function toResult(value: Readonly<Record<string, unknown>>, isStructured: boolean): CallToolResult {
  const text = JSON.stringify(value, marked);
  if (text.length <= longestAnswer)
    return {
      content: [{ type: 'text', text }],
      ...(isStructured ? { structuredContent: parseRecord(text) } : {}),
    };
  return toFailure(
    new FlameError({
      kind: 'refused',
      code: 'too-long',
      message: `The answer has ${text.length} characters, and ${longestAnswer} are the most.`,
      hints: ['Ask for a smaller part: one task, an offset, fewer lines'],
      hintsFor: 'model',
    }),
    '',
  );
}

function marked(_: string, value: unknown): unknown {
  return typeof value === 'string' ? markInvisible(value) : value;
}

/** What failed, why, and what to do next, for the model; `tellLead` is how it tells the person what only they can mend. */
export function toFailure(error: unknown, tellLead: string): CallToolResult {
  const known = asFlameError(error);
  const { code, message, lines } = known;
  const details = lines.slice(0, mostDetails).map((line) => line.slice(0, 500));
  const left = lines.length - details.length;
  const said = {
    error: {
      code,
      message: message.slice(0, 2_000),
      ...(details.length === 0 ? {} : { details: left > 0 ? [...details, `and ${left} more`] : details }),
      ...adviseModel(known, tellLead),
    },
  };
  return { isError: true, content: [{ type: 'text', text: toJsonLine(said) }] };
}

export function asFlameError(error: unknown): FlameError {
  if (error instanceof FlameError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new FlameError({
    kind: 'internal',
    code: 'tool-failed',
    message: `The tool failed: ${reason.split('\n')[0]?.slice(0, 300) ?? ''}`,
    hints: ['get_status shows what holds; tell the project lead'],
    hintsFor: 'model',
    cause: error,
  });
}
