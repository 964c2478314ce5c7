import * as z from 'zod';
import { isJsonRecord } from '../../lib/util/json.ts';

// What a list for drive-mcp and drive-queen may hold, one object a step.

const words = z.record(z.string(), z.unknown());
const chat = z.string().default('a').describe('Which of several chats; each is a client of its own.');

const stepSchema = z.union([
  z.strictObject({
    /** A tool of ours; `input` may hold `${2.cursor}`, a value of what step 2 answered. */
    tool: z.string(),
    input: words.default({}),
    timeout_ms: z.int().min(1).optional(),
    /** The client takes the call back after that time. */
    cancel_after_ms: z.int().min(0).optional(),
    /** So often, one after another. */
    times: z.int().min(1).max(10_000).default(1),
    chat,
  }),
  /** Calls wait_for_workers, on from each cursor, until the text of an answer matches, at most so often. */
  z.strictObject({ wait: z.string(), most: z.int().min(1).max(1_000).default(40), chat }),
  /** A command line of the person's, in the repository, which no chat started. */
  z.strictObject({ run: z.string() }),
  /** Steps that begin at once; the next one begins when all are over. drive-mcp alone. */
  z.strictObject({ at_once: z.array(words).min(1) }),
  /** Any other request of the protocol. drive-mcp alone, as are those that follow. */
  z.strictObject({ method: z.string(), params: words.default({}), chat }),
  /** Bytes for the server, as they are. */
  z.strictObject({ raw: z.string(), chat }),
  /** How the client goes; the next step of this chat begins another one. */
  z.strictObject({ end: z.enum(['close', 'kill']), chat }),
]);

export type Step = z.output<typeof stepSchema>;

/** Reads a list of steps. Throws an Error that names the first step which is none. */
export function readSteps(text: string): readonly Step[] {
  const list = parseSaid(text);
  if (!Array.isArray(list)) throw new Error('The list of steps is no JSON array.');
  return list.map((one, index) => readStep(one, `${index + 1}`));
}

export function readStep(value: unknown, name: string): Step {
  const found = stepSchema.safeParse(value);
  if (found.success) return found.data;
  const keys = isJsonRecord(value) ? Object.keys(value).join(', ') : typeof value;
  throw new Error(`Step ${name} is none: it has ${keys}. One of tool, wait, run, at_once, method, raw, end is needed.`);
}

/** What steps answered, by their numbers. */
export type Answers = ReadonlyMap<string, unknown>;

/** Puts what earlier steps answered in the place of `${2.tasks.0.commit}`; alone in a text, it keeps its kind. */
export function fillIn(value: unknown, answers: Answers): unknown {
  if (Array.isArray(value)) return value.map((one) => fillIn(one, answers));
  if (isJsonRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fillIn(one, answers)]));
  if (typeof value !== 'string') return value;
  const alone = /^\$\{(\d+)((?:\.[^}.]+)*)\}$/.exec(value);
  if (alone !== null) return valueAt(answers.get(alone[1] ?? ''), alone[2] ?? '');
  return value.replace(/\$\{(\d+)((?:\.[^}.]+)*)\}/g, (_, step: string, path: string) =>
    String(valueAt(answers.get(step), path)),
  );
}

export function valueAt(value: unknown, path: string): unknown {
  const keys = path.split('.').filter((key) => key !== '');
  return keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** JSON as a value, anything else as the text it is. */
export function parseSaid(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
