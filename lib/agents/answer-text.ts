import { isRecord, type JsonRecord } from '../util/json.ts';
import { closingBrace } from './extract-json.ts';

// A text of nothing but openings would be scanned to its end for each of them.
const mostCandidates = 2_000;

/** Writes the instructions for an agent whose CLI takes no schema: the form its last message must have. */
export function askForAnswer(schema: JsonRecord): string {
  return [
    '',
    '# Your answer',
    '',
    'A program reads your last message. It must be one JSON object that matches this JSON Schema, with nothing',
    'before or after it and no code fence around it:',
    '',
    JSON.stringify(schema),
    '',
  ].join('\n');
}

/**
 * Reads the answer from an agent's last words, not yet validated: the last JSON object that stands by itself, with
 * any text around it; null if there is none. A comma too many is forgiven.
 */
export function readAnswerText(text: string): JsonRecord | null {
  const starts = [...text.matchAll(/\{/g)].map(({ index }) => index).slice(0, mostCandidates);
  let found: JsonRecord | null = null;
  let passed = -1;
  for (const start of starts) {
    if (start < passed) continue;
    const end = closingBrace(text, start);
    const value = end === null ? null : parse(text.slice(start, end + 1));
    if (end === null || value === null) continue;
    found = value;
    passed = end;
  }
  return found;
}

function parse(text: string): JsonRecord | null {
  for (const candidate of [text, text.replace(/("(?:[^"\\]|\\[\s\S])*")|,(?=\s*[}\]])/g, '$1')]) {
    try {
      const value: unknown = JSON.parse(candidate);
      return isRecord(value) ? value : null;
    } catch {
      // The other one may be JSON.
    }
  }
  return null;
}
