import * as z from 'zod';
import type { leadTools } from '../../domain/lead-tools.ts';

// What the tools answer. The handlers' types come from here, and so do the schemas that clients are told.

const text = z.string();
const texts = z.array(text);
const count = z.int();
const place = count.nullable();

const advice = { next: texts, for_lead: texts.optional() };

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
const trouble = z.strictObject({ code: text, message: text, ...advice }).optional();
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
    trouble,
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
    trouble,
    next: text.optional(),
    next_cursor: place.optional(),
  }),
  get_task_output: z.strictObject({
    task_id: text,
    status: text,
    commit: text.nullable(),
    part: text,
    text,
    characters_in_all: count,
    next_offset: place,
  }),
  approve_task: z.strictObject({ approved: text, changed: z.boolean() }),
  reject_task: z.strictObject({ rejected: text, changed: z.boolean(), next: text }),
  leave_note: z.strictObject({ note: text, changed: z.boolean() }),
  read_file: z.strictObject({
    path: text,
    commit: text,
    line: count,
    lines_in_all: count,
    text,
    next_line: place,
  }),
  list_files: z.strictObject({
    path: text,
    commit: text,
    entries: texts,
    left_out: count,
    next_cursor: place,
  }),
  search_files: z.strictObject({
    commit: text,
    matches: z.array(z.strictObject({ path: text, line: count, text })),
    left_out: count,
    next_cursor: place,
    incomplete: text.optional(),
  }),
  complete: z.strictObject({
    changesets: z.array(z.strictObject({ id: text, tasks: texts })),
    conflicts: count,
    next: text,
  }),
  fail: z.strictObject({
    stopped: text,
    changed: z.boolean(),
    still_at_work: texts,
    kept: z.strictObject({ done: texts, failed: texts, not_done: texts }),
    for_lead: texts,
    next: text,
  }),
} satisfies Readonly<Record<(typeof leadTools)[number], z.ZodObject>>;

type ReadonlyDeep<T> = T extends readonly (infer One)[]
  ? readonly ReadonlyDeep<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

/** What a tool answers where it does what it is asked. */
export type OutputOf<Name extends keyof typeof outputs> = ReadonlyDeep<z.output<(typeof outputs)[Name]>>;
export type TaskLine = ReadonlyDeep<z.output<typeof taskLine>>;
export type PlannedLine = ReadonlyDeep<z.output<typeof plannedLine>>;
