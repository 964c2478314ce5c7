import * as z from 'zod';
import type { ObjectId, SessionId, TaskId } from '../ids.ts';
import { objectIdPattern, sessionIdPattern, taskIdPattern } from '../ids.ts';
import { evidenceSchema, verificationSchema } from './evidence.ts';
import { lineCommentsSchema } from './line-comment.ts';
import { machineWordSchema } from './machine.ts';

const oid = z
  .string()
  .regex(objectIdPattern)
  .transform((id) => id as ObjectId);

export const diagnosticRunSchema = z.object({
  command: z.string(),
  /** null: killed by a signal or the time limit. */
  exit_code: z.int().nullable(),
  timed_out: z.boolean(),
  duration_ms: z.number(),
  /** The last lines of its output, at most 4,000 characters; where it failed, first the lines that show the failure. */
  output: z.string(),
  /** `sha256:<hex>` of all its output. */
  output_hash: z.string().optional(),
  /** It fails on the base as well, where the change is not; left out where it passes there, or where that is not known. */
  on_base: z.literal(true).optional(),
});
export type DiagnosticRun = z.infer<typeof diagnosticRunSchema>;

/** The finding of a validator (an agent, the diagnostics alone, or a person) about one exact commit. */
export const verdictSchema = z.object({
  session: z
    .string()
    .regex(sessionIdPattern)
    .transform((id) => id as SessionId),
  task: z
    .string()
    .regex(taskIdPattern)
    .transform((id) => id as TaskId),
  commit: oid,
  /** The commit the work started from: the judged change is base..commit. */
  base: oid,
  tree: oid,
  status: z.enum(['pass', 'fail']),
  notes: z.string(),
  issues: z.array(z.string()),
  diagnostics: z.array(diagnosticRunSchema),
  /** Agent id, `diagnostics`, or the person's identity. */
  by: z.string(),
  at: z.string(),
  cost_usd: z.number(),
  tokens: z.number(),
  /** Why a person passed it although a diagnostic, or its validation, failed. */
  override: z.string().optional(),
  /** Where a machine that joined gave it: its name, the number of its claim to judge this work, and its signature. */
  machine: machineWordSchema.optional(),
  /** Its evidence; absent in verdicts of earlier versions. */
  evidence: evidenceSchema.optional(),
});
export type Verdict = Readonly<z.infer<typeof verdictSchema>>;

/** The body of a note on refs/blueflame/validations: the latest verdict is the last. */
export const validationNoteSchema = z.object({
  v: z.literal(1),
  rev: z.int().min(1),
  verdicts: z.array(verdictSchema),
  /** Each time the checks of the commit were run again, latest last. */
  verifications: z.array(verificationSchema).optional(),
});

export type ValidationNote = z.infer<typeof validationNoteSchema>;

/** The body of a note on refs/blueflame/reviews: how a landed commit came to be. */
export const reviewNoteSchema = z.object({
  v: z.literal(1),
  rev: z.int().min(1),
  session: z.string(),
  group: z.string(),
  tasks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      commit: oid,
      verdict: z.enum(['pass', 'fail']).nullable(),
      /** Why a person passed it although it failed its validation. */
      override: z.string().optional(),
    }),
  ),
  decision: z.literal('approved'),
  by: z.string(),
  at: z.string(),
  base: oid,
  /** The exact commit that was shown and approved. */
  approved_commit: oid,
  /** Remarks on lines that came with the approval; left out where there are none. */
  comments: lineCommentsSchema.optional(),
  override: z.string().nullable(),
  cost_usd: z.number(),
  tokens: z.number(),
  /** Who took the landing back, and why; left out where it stands. */
  undone: z.object({ by: z.string(), at: z.string(), reason: z.string() }).optional(),
});
export type ReviewNote = Readonly<z.infer<typeof reviewNoteSchema>>;
