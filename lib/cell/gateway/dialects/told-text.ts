import { isRecord, type JsonRecord } from '../../../util/json.ts';
import { listOf, textOr } from './lists.ts';

/** Reads the input of a call, as it was sent: JSON as text; returns the text where that is broken. */
export function readInput(given: unknown): JsonRecord | string {
  if (isRecord(given)) return given;
  const text = textOr(given);
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    return isRecord(value) ? value : text;
  } catch {
    return text;
  }
}

/** The text of a result: one text, or parts of which some are text. */
export function textOfParts(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (isRecord(part) ? textOr(part.text) : ''))
    .filter((text) => text !== '')
    .join('\n');
}
