import * as z from 'zod';
import { noteBounds } from '../../domain/state/blackboard.ts';
import { plannedTaskSchema } from '../../domain/state/plan.ts';

// What the tools take, with its bounds; what a tool doesn't know is refused rather than left unheard. Clients are told
// less of it (`told-schema`): what has to be known beforehand stands in words.

const taskId = z.string().min(1).max(64);
const taskIds = (most: number) => z.array(taskId).min(1).max(most);
const place = z.int().min(0).max(100_000_000).default(0);
const commit = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/, 'is no commit')
  .optional()
  .describe('As get_task_output has it; refused once there is another one.');

const { shape } = plannedTaskSchema;

/** Adapter, model and attempts are a person's word: whoever leads can't choose what runs outside the watcher, or is paid several times. */
const proposedTask = plannedTaskSchema
  .omit({ model: true, adapter: true, attempts: true })
  .extend({
    id: shape.id.describe('Lower-case letters, digits, hyphens.'),
    file_locks: shape.file_locks.removeDefault().min(1).describe('Each file, folder or glob it writes.'),
    priority: shape.priority.describe('Lowest first.'),
    cohesion_group: shape.cohesion_group.describe('One group lands together.'),
  })
  .strict();

const ofWhom = {
  task_id: taskId.optional().describe('Its work instead of the base branch.'),
};

export const inputs = {
  createTasks: z.strictObject({
    objective: z
      .string()
      .min(1)
      .max(5_000)
      .optional()
      .describe('What it is all for; begins a session where none is open.'),
    tasks: z.array(proposedTask).min(1).max(100),
  }),
  dropTasks: z.strictObject({ task_ids: taskIds(100), reason: z.string().min(1).max(1_000) }),
  assignTask: z.strictObject({ task_ids: taskIds(1_000).optional() }),
  waitForWorkers: z.strictObject({
    timeout_s: z.number().min(0).max(3_600).default(20).describe('In a chat at most 45 count.'),
    cursor: z.string().max(100).optional().describe('From the wait before; no page.'),
  }),
  getStatus: z.strictObject({ cursor: place.describe('next_cursor of the page before.') }),
  getTaskOutput: z.strictObject({
    task_id: taskId,
    part: z.enum(['summary', 'checks', 'diff', 'plan']).default('summary'),
    offset: place,
  }),
  approveTask: z.strictObject({ task_id: taskId, commit, feedback: z.string().max(2_000).default('') }),
  rejectTask: z.strictObject({ task_id: taskId, commit, feedback: z.string().min(1).max(4_000) }),
  leaveNote: z.strictObject({
    text: z.string().min(1).max(noteBounds.text).describe(`At most ${noteBounds.text} characters.`),
    task_ids: taskIds(noteBounds.meant).optional().describe('Only for these.'),
    paths: z
      .array(z.string().min(1).max(500))
      .max(noteBounds.meant)
      .optional()
      .describe('Only for tasks that write there.'),
  }),
  readFile: z.strictObject({
    path: z.string().min(1).max(4_000).describe('Relative to the top of the repository.'),
    ...ofWhom,
    line: z.int().min(1).max(100_000_000).default(1),
    lines: z.int().min(1).max(400).default(400),
  }),
  listFiles: z.strictObject({
    path: z.string().max(4_000).default('').describe('The top when left out.'),
    ...ofWhom,
    cursor: place,
  }),
  searchFiles: z.strictObject({
    pattern: z.string().min(1).max(500).describe('Extended regular expression.'),
    path: z.string().max(4_000).default(''),
    ...ofWhom,
    ignore_case: z.boolean().default(false),
    cursor: place,
  }),
  complete: z.strictObject({ summary: z.string().min(1).max(4_000) }),
  fail: z.strictObject({ reason: z.string().min(1).max(4_000) }),
};

/** What a tool is given, checked. */
export type InputOf<Name extends keyof typeof inputs> = z.output<(typeof inputs)[Name]>;
