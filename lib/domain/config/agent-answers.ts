import * as z from 'zod';
import { type Plan, planSchema } from '../state/plan-schema.ts';

const notes = z.string().max(20_000);

/** A validator's answer. */
const verdictAnswerSchema = z.object({
  status: z.enum(['pass', 'fail']),
  notes,
  issues: z.array(z.string().max(5_000)).max(200).default([]),
});
type VerdictAnswer = Readonly<z.infer<typeof verdictAnswerSchema>>;

/** A merger's answer; its commit holds the resolution. */
const mergeAnswerSchema = z.object({ status: z.enum(['resolved', 'unresolvable']), notes });
type MergeAnswer = Readonly<z.infer<typeof mergeAnswerSchema>>;

/** A worker's optional answer instead of text. */
const workerAnswerSchema = z.object({
  summary: z.string().max(20_000).default(''),
  notes: z.array(z.string().max(20_000)).max(200),
  /** Why each file was changed, by its path; what is malformed costs no more than itself. */
  why: z.record(z.string(), z.string()).catch({}),
});
type WorkerAnswer = Readonly<z.infer<typeof workerAnswerSchema>>;

type ParsedAnswer<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  /** One line per problem, each with its path in the answer. */
  | { readonly kind: 'malformed'; readonly problems: readonly string[] };

/** The model, adapter and number of attempts of a task are a person's decision, never an answer's. */
export function parsePlannerAnswer(answer: unknown): ParsedAnswer<Plan> {
  const parsed = parseAnswer(planSchema, answer);
  if (parsed.kind === 'malformed') return parsed;
  const tasks = parsed.value.tasks.map(({ attempts: _, ...task }) => ({
    ...task,
    model: null,
    adapter: null,
  }));
  return { kind: 'ok', value: { tasks } };
}

export function parseValidatorAnswer(answer: unknown): ParsedAnswer<VerdictAnswer> {
  return parseAnswer(verdictAnswerSchema, answer);
}

export function parseMergerAnswer(answer: unknown): ParsedAnswer<MergeAnswer> {
  return parseAnswer(mergeAnswerSchema, answer);
}

export function parseWorkerAnswer(answer: unknown): ParsedAnswer<WorkerAnswer> {
  return parseAnswer(workerAnswerSchema, answer);
}

function parseAnswer<Value>(schema: z.ZodType<Value>, answer: unknown): ParsedAnswer<Value> {
  const result = schema.safeParse(answer);
  if (result.success) return { kind: 'ok', value: result.data };
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  return { kind: 'malformed', problems };
}

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

/**
 * JSON Schema of a planner's answer, for `AgentRequest.answerSchema`. Shape only: the CLI makes the model try again on
 * a mismatch, and the plan's own checks report mistakes of a plan better.
 */
export const plannerAnswerJsonSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: {
    tasks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: text,
          title: text,
          description: text,
          priority: { type: 'integer' },
          cohesion_group: text,
          dependencies: texts,
          file_locks: texts,
          acceptance_criteria: texts,
        },
        required: ['id', 'title', 'description', 'priority', 'file_locks'],
      },
    },
  },
  required: ['tasks'],
};

/** JSON Schema of a validator's answer. */
export const validatorAnswerJsonSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['pass', 'fail'] }, notes: text, issues: texts },
  required: ['status', 'notes'],
};

/** JSON Schema of a merger's answer. */
export const mergerAnswerJsonSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { status: { type: 'string', enum: ['resolved', 'unresolvable'] }, notes: text },
  required: ['status', 'notes'],
};
