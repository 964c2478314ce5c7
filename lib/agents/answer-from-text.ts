import { plannerAnswerJsonSchema } from '../domain/config/agent-answers.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';
import { isJsonRecord, type JsonRecord, parseJson } from '../util/json.ts';

/** Writes the instructions for an agent whose CLI takes no schema: the form its last message must have. */
export function renderAnswerInstructions(schema: JsonRecord): string {
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

// A text of nothing but openings would be scanned to its end for each of them.
const maxCandidates = 5_000;

/**
 * The answer in a text that holds more than it: the last JSON object with all that its schema (by default a plan's)
 * requires, in a fenced block or bare; null if there is none. A comma too many is forgiven.
 */
export function findJsonBySchema(text: string, schema: JsonRecord = plannerAnswerJsonSchema): unknown {
  const required = requiredTypes(schema);
  const starts = [...text.matchAll(/\{\s*"/g)].map(({ index }) => index).slice(-maxCandidates);
  let found: unknown = null;
  let passed = -1;
  for (const start of starts.filter((index) => required.every(([name]) => text.includes(`"${name}"`, index)))) {
    // Inside a plan there may be objects that look like one.
    if (start < passed) continue;
    const end = closingBrace(text, start);
    const value = end === null ? null : parseObject(text.slice(start, end + 1));
    if (end === null || value === null || !required.every(([name, type]) => isOf(type, value[name]))) continue;
    found = value;
    passed = end;
  }
  return found;
}

/** Lists the properties an object must have, with the types of JSON Schema. */
function requiredTypes({ required, properties }: JsonRecord): readonly (readonly [string, unknown])[] {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return names
    .filter((name) => typeof name === 'string')
    .map((name) => {
      const property = isJsonRecord(properties) ? properties[name] : null;
      return [name, isJsonRecord(property) ? property.type : undefined];
    });
}

function isOf(type: unknown, value: unknown): boolean {
  return type === 'array' ? Array.isArray(value) : typeof value === type;
}

/** The index of the brace that closes the one at `start`; braces in strings don't count. */
function closingBrace(text: string, start: number): number | null {
  const token = /"(?:[^"\\]|\\[\s\S])*"|[{}]/g;
  token.lastIndex = start;
  let depth = 0;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '{') depth += 1;
    if (match[0] === '}') depth -= 1;
    if (depth === 0) return match.index;
  }
  return null;
}

function parseObject(text: string): JsonRecord | null {
  const forgiven = text.replace(/("(?:[^"\\]|\\[\s\S])*")|,(?=\s*[}\]])/g, '$1');
  for (const candidate of [text, forgiven]) {
    const value = parseJson(candidate);
    if (isJsonRecord(value)) return value;
  }
  return null;
}

/** The prompt for a CLI that can't hold its model to a schema: it is asked to end with the answer, see findJsonBySchema. */
export function addAnswerRequestToPrompt({
  prompt,
  answerSchema,
}: Pick<AgentRequest, 'prompt' | 'answerSchema'>): string {
  if (answerSchema === null) return prompt;
  return [
    prompt,
    'End with your answer: one JSON object that matches this JSON Schema, with nothing after it.',
    JSON.stringify(answerSchema),
  ].join('\n\n');
}
