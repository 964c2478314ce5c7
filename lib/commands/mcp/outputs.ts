import * as z from 'zod';
import type { LeadTool } from '../../domain/lead-tools.ts';

// What the tools answer: the types of their calls, and the schemas that clients are given.

const text = z.string();
const texts = z.array(text);
const count = z.int();
const next_cursor = count.nullable();
const changed = z.boolean();

const taskLine = z.strictObject({
  id: text,
  title: text,
  status: text,
  group: text,
  needs: texts.optional(),
  commit: text.optional(),
  verdict: text.optional(),
  approved: z.literal(true).optional(),
  reason: text.optional(),
  attempt: count.optional(),
  waits_for: texts.optional(),
});
const plannedLine = z.strictObject({ id: text, title: text, needs: texts.optional(), file_locks: texts });
const waitsForLead = z.array(z.strictObject({ for: text, command: text }));
const trouble = z.strictObject({ code: text, message: text, next: texts, for_lead: texts.optional() });
const spent = z.strictObject({ cost_usd: z.number(), tokens: z.number() });
const session = z.strictObject({
  id: text,
  objective: text,
  state: text,
  wave: text,
  cycle: count,
  spent: z.strictObject({ usd: z.number(), tokens: z.number() }),
  spent_by_machine: z.record(text, spent).optional(),
  presumed_spent: spent.extend({ machines: texts }).optional(),
  budget: z.union([text, z.record(text, z.number())]),
});

const afterProposal = z.strictObject({
  changed: texts,
  dropped: texts.optional(),
  plan: z.enum(['waits for the lead', 'approved', 'not approved']),
  waiting: count.optional(),
  next: text,
});

export const outputs = {
  create_tasks: afterProposal,
  drop_tasks: afterProposal,
  assign_task: z.strictObject({
    assigned: texts,
    validators_gave_no_verdict: texts.optional(),
    next: text,
  }),
  wait_for_workers: z.strictObject({
    news: z.array(taskLine),
    more_news: count.optional(),
    running: texts.optional(),
    is_working: z.boolean().optional(),
    trouble: trouble.optional(),
    waits_for_lead: waitsForLead.optional(),
    session_state: text.optional(),
    plan: text.optional(),
    next: text.optional(),
    cursor: text.optional(),
  }),
  get_status: z.strictObject({
    session: session.nullable(),
    waits_for_lead: waitsForLead.optional(),
    proposed: z.array(plannedLine).optional(),
    proposed_in_all: count.optional(),
    lead_said: text.optional(),
    tasks: z.array(taskLine).optional(),
    tasks_in_all: count.optional(),
    from_other_clones: count.optional(),
    trouble: trouble.optional(),
    next: text.optional(),
    next_cursor: next_cursor.optional(),
  }),
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
  search_files: z.strictObject({
    commit: text,
    matches: z.array(z.strictObject({ path: text, line: count, text })),
    left_out: count,
    next_cursor,
    incomplete: text.optional(),
  }),
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

/** What a tool answers where it does what it is asked. */
export type OutputOf<Name extends LeadTool> = ReadonlyDeep<z.output<(typeof outputs)[Name]>>;

/** What a call brings beside its input. */
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

/** What a tool answers: a value that is shown as JSON, or a question to the person first. */
export type ToolAnswer<Name extends LeadTool = LeadTool> = OutputOf<Name> | FormQuestion;
