import * as z from 'zod';
import { noteBounds } from '../../domain/state/blackboard.ts';
import { plannedTaskSchema } from '../../domain/state/plan.ts';

// What the tools take. Bounds are here, so that a client shows them to its model before anything is opened.

const taskId = z.string().min(1).max(64);
const taskIds = (most: number) => z.array(taskId).min(1).max(most);
const place = z.int().min(0).max(100_000_000).default(0);
const commit = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/, 'is no commit')
  .optional()
  .describe('The commit you judged, or how it begins; refused when there is another one by now.');

/** Adapter and model are a person's word: whoever leads can't choose what runs outside the watcher. */
const proposedTask = plannedTaskSchema.omit({ model: true, adapter: true }).strict();

const ofWhom = {
  task_id: taskId.optional().describe('See the work of this task; without it the base branch.'),
};

export const inputs = {
  createTasks: z.object({
    objective: z
      .string()
      .min(1)
      .max(5_000)
      .optional()
      .describe('What it is all for; begins a session where none is open.'),
    tasks: z.array(proposedTask).min(1).max(100),
  }),
  dropTasks: z.object({ task_ids: taskIds(100), reason: z.string().min(1).max(1_000) }),
  assignTask: z.object({ task_ids: taskIds(1_000).optional() }),
  waitForWorkers: z.object({
    timeout_s: z.number().min(0).max(3_600).default(20).describe('At most 45 in a chat.'),
    cursor: z.string().max(100).optional(),
  }),
  getStatus: z.object({ cursor: place.describe('next_cursor of the page before.') }),
  getTaskOutput: z.object({
    task_id: taskId,
    part: z.enum(['summary', 'checks', 'diff', 'plan']).default('summary'),
    offset: place,
  }),
  approveTask: z.object({ task_id: taskId, commit, feedback: z.string().max(2_000).default('') }),
  rejectTask: z.object({ task_id: taskId, commit, feedback: z.string().min(1).max(4_000) }),
  leaveNote: z.object({
    text: z.string().min(1).max(noteBounds.text),
    task_ids: taskIds(noteBounds.meant).optional().describe('Only for these.'),
    paths: z
      .array(z.string().min(1).max(500))
      .max(noteBounds.meant)
      .optional()
      .describe('Only for tasks that write there.'),
  }),
  readFile: z.object({
    path: z.string().min(1).max(4_000).describe('Relative to the top of the repository.'),
    ...ofWhom,
    line: z.int().min(1).max(100_000_000).default(1),
    lines: z.int().min(1).max(400).default(400),
  }),
  listFiles: z.object({
    path: z.string().max(4_000).default('').describe('The top when left out.'),
    ...ofWhom,
    cursor: place,
  }),
  searchFiles: z.object({
    pattern: z.string().min(1).max(500).describe('Extended regular expression.'),
    path: z.string().max(4_000).default(''),
    ...ofWhom,
    ignore_case: z.boolean().default(false),
    cursor: place,
  }),
  complete: z.object({ summary: z.string().min(1).max(4_000) }),
  fail: z.object({ reason: z.string().min(1).max(4_000) }),
};

/** What a tool is given, checked. */
export type InputOf<Name extends keyof typeof inputs> = z.output<(typeof inputs)[Name]>;
