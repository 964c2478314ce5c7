import * as z from 'zod';
import { type TaskId, taskIdPattern } from '../ids.ts';
import { lineSchema, textSchema } from '../text-schemas.ts';
import { plannedAttemptsSchema } from './attempt-record.ts';

/** The cohesion group of tasks that name none. */
export const defaultCohesionGroup = 'main';

const idText = z
  .string()
  .regex(taskIdPattern, 'must be lower-case letters, digits and hyphens, at most 64, like task-001');

/** One task as a planner answers it and `git flame plan --from` reads it. Unknown keys are dropped. */
export const plannedTaskSchema = z.object({
  id: idText.transform((id) => id as TaskId),
  title: lineSchema(200),
  description: textSchema(50_000).min(1),
  priority: z.int().min(1).max(999).default(5),
  cohesion_group: idText.default(defaultCohesionGroup),
  dependencies: z.array(idText.transform((id) => id as TaskId)).default([]),
  file_locks: z.array(lineSchema(500)).default([]),
  acceptance_criteria: z.array(textSchema(2_000)).default([]),
  constraints: z.array(textSchema(2_000)).default([]),
  model: lineSchema(100)
    .nullish()
    .transform((model) => model ?? null),
  adapter: idText.nullish().transform((adapter) => adapter ?? null),
  attempts: plannedAttemptsSchema.optional(),
});

/** So many fit one gate: a person has to read them. */
export const planSchema = z.object({
  tasks: z.array(plannedTaskSchema).max(1_000, 'holds more than 1,000 tasks: split it into several plans'),
});

export type PlannedTask = Readonly<z.infer<typeof plannedTaskSchema>>;
export type Plan = Readonly<{ tasks: readonly PlannedTask[] }>;
