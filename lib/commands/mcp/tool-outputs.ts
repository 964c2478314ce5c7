import * as z from 'zod';
import type { LeadTool } from '../../domain/lead-tools.ts';

// Outputs of the tools: the types of their calls, and the schemas that clients are given.

const text = z.string();
const texts = z.array(text);
const count = z.int();
const next_cursor = count.nullable();
const changed = z.boolean();

/** Schema of an answer: its required and its optional fields. */
function answer<Always extends z.ZodRawShape, Sometimes extends z.ZodRawShape>(always: Always, sometimes: Sometimes) {
  return z.strictObject(always).extend(z.object(sometimes).partial().shape);
}

const taskLine = answer(
  { id: text, title: text, status: text, group: text },
  {
    needs: texts,
    commit: text,
    verdict: text,
    approved: z.literal(true),
    reason: text,
    attempt: count,
    waits_for: texts,
  },
);
const plannedLine = answer({ id: text, title: text, file_locks: texts }, { needs: texts });
const waitsForLead = z.array(z.strictObject({ for: text, command: text }));
const trouble = answer({ code: text, message: text, next: texts }, { for_lead: texts });
const spent = z.strictObject({ cost_usd: z.number(), tokens: z.number() });
const session = answer(
  {
    id: text,
    objective: text,
    state: text,
    wave: text,
    cycle: count,
    spent: z.strictObject({ usd: z.number(), tokens: z.number() }),
    budget: z.union([text, z.record(text, z.number())]),
  },
  { spent_by_machine: z.record(text, spent), presumed_spent: spent.extend({ machines: texts }) },
);
const afterProposal = answer(
  { changed: texts, plan: z.enum(['waits for the lead', 'approved', 'not approved']), next: text },
  { dropped: texts, waiting: count },
);

export const toolOutputSchemas = {
  create_tasks: afterProposal,
  drop_tasks: afterProposal,
  assign_task: answer({ assigned: texts, next: text }, { validators_gave_no_verdict: texts }),
  wait_for_workers: answer(
    { news: z.array(taskLine) },
    {
      more_news: count,
      running: texts,
      is_working: z.boolean(),
      trouble,
      waits_for_lead: waitsForLead,
      session_state: text,
      plan: text,
      next: text,
      cursor: text,
    },
  ),
  get_status: answer(
    { session: session.nullable() },
    {
      waits_for_lead: waitsForLead,
      proposed: z.array(plannedLine),
      proposed_in_all: count,
      lead_said: text,
      tasks: z.array(taskLine),
      tasks_in_all: count,
      from_other_clones: count,
      trouble,
      next: text,
      next_cursor,
    },
  ),
  get_task_output: z.strictObject({
    task_id: text,
    status: text,
    commit: text.nullable(),
    part: text,
    text,
    characters_in_all: count,
    next_offset: next_cursor,
  }),
  approve_task: z.strictObject({ approved: text, changed }),
  reject_task: z.strictObject({ rejected: text, changed, next: text }),
  leave_note: z.strictObject({ note: text, changed }),
  read_file: z.strictObject({
    path: text,
    commit: text,
    line: count,
    lines_in_all: count,
    text,
    next_line: next_cursor,
  }),
  list_files: z.strictObject({ path: text, commit: text, entries: texts, left_out: count, next_cursor }),
  search_files: answer(
    {
      commit: text,
      matches: z.array(z.strictObject({ path: text, line: count, text })),
      left_out: count,
      next_cursor,
    },
    { incomplete: text },
  ),
  complete: z.strictObject({
    changesets: z.array(z.strictObject({ id: text, tasks: texts })),
    conflicts: count,
    next: text,
  }),
  fail: z.strictObject({
    stopped: text,
    changed,
    still_at_work: texts,
    kept: z.strictObject({ done: texts, failed: texts, not_done: texts }),
    for_lead: texts,
    next: text,
  }),
} satisfies Readonly<Record<LeadTool, z.ZodObject>>;

type ReadonlyDeep<T> = T extends readonly (infer One)[]
  ? readonly ReadonlyDeep<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

/** A tool's output on success. */
export type ToolOutput<Name extends LeadTool> = ReadonlyDeep<z.output<(typeof toolOutputSchemas)[Name]>>;

/** A call's context beside its input. */
export interface CallContext {
  /** Aborts when the client takes the call back, or is gone. */
  readonly signal: AbortSignal;
  /** Whether the client can show a form to its person. */
  readonly hasForms: boolean;
  /** The person's answer to a form; null: not given. undefined: they were not asked yet. */
  answerTo(key: string): unknown;
}

/** A question to the person in front of the client; once it is answered the call comes again. */
export interface FormQuestion {
  readonly ask: { readonly key: string; readonly message: string };
}

/** A tool's answer: a value that is shown as JSON, or a question to the person first. */
export type ToolOutputOrQuestion<Name extends LeadTool = LeadTool> = ToolOutput<Name> | FormQuestion;
