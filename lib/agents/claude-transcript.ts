import { countTokens } from '../domain/config/token-price.ts';
import type { TranscriptParts } from '../domain/ports/adapter.ts';
import { isRecord, parseRecord } from '../util/json.ts';
import { textOf, usageOf } from './claude-events.ts';
import { extractJson } from './extract-json.ts';

/**
 * Reads a conversation's transcript: the plan in the last words that hold one, the last words, and the
 * tokens spent. The format is the CLI's own: a line that isn't understood is ignored.
 */
export function readClaudeTranscript(transcript: string): TranscriptParts {
  const lines = transcript.split('\n').map(parseRecord);
  const messages = lines.filter(
    (line) => line.type === 'assistant' && line.isSidechain !== true && isRecord(line.message),
  );
  const texts = joinBlocks(messages);
  const answers = texts.map((text) => extractJson(text)).filter((answer) => answer !== null);
  return { answer: answers.at(-1) ?? null, text: texts.at(-1) ?? '', tokens: sumUsage(lines) };
}

/** A message is one line per content block: its text is put together again. */
function joinBlocks(messages: readonly Readonly<Record<string, unknown>>[]): string[] {
  const byId = new Map<string, string>();
  for (const [index, { message }] of messages.entries()) {
    if (!isRecord(message)) continue;
    const text = textOf(message.content);
    if (text === '') continue;
    const id = typeof message.id === 'string' ? message.id : `line ${index}`;
    byId.set(id, `${byId.get(id) ?? ''}${text}`);
  }
  return [...byId.values()];
}

/** Every line of a message repeats its usage: the last one counts. */
function sumUsage(lines: readonly Readonly<Record<string, unknown>>[]): number {
  const byId = new Map<unknown, number>();
  for (const { type, message } of lines) {
    if (type === 'assistant' && isRecord(message)) byId.set(message.id, countTokens(usageOf(message.usage)));
  }
  return [...byId.values()].reduce((sum, tokens) => sum + tokens, 0);
}
