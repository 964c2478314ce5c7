import * as z from 'zod';
import { objectIdSchema, sessionIdSchema, taskIdSchema } from './id-schemas.ts';
import { lineCommentsSchema } from './line-comment.ts';
import { machineStatementSchema } from './machine-schemas.ts';

/** Which of the lines that a change added ran, as a coverage report says that its checks wrote. */
const coveredFileSchema = z.object({
  path: z.string(),
  /** Where the report lay in the worktree: the last that measures it. */
  report: z.string(),
  /** Added lines that are measured, and how many of them did not run. */
  lines: z.int().min(1),
  not_run: z.int().min(0),
  /** First and last line of what did not run, at most 30. */
  ranges: z.array(z.tuple([z.int(), z.int()])),
});
export type CoveredFile = Readonly<z.infer<typeof coveredFileSchema>>;

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
  /** Of the last run: what its reports, and those of the runs before it, measure; at most 500 files. */
  coverage: z.array(coveredFileSchema).optional(),
});
export type DiagnosticRun = z.infer<typeof diagnosticRunSchema>;

/** One path that the work changed; `blob` is null where it removed it. */
const evidenceFileSchema = z.object({
  path: z.string(),
  /** Octal, as in git's trees; 000000 where it was removed. */
  mode: z.string().regex(/^[0-7]{6}$/),
  blob: objectIdSchema.nullable(),
});
const sha256 = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** One check that was run on the work. */
const evidenceCommandSchema = z.object({
  command: z.string(),
  /** null: killed by a signal or the time limit. */
  exit_code: z.int().nullable(),
  /** Of all its output, stdout and stderr as they came; null where it was not read. */
  output_hash: sha256.nullable(),
});

/** Evidence of a work: enough to do it again and compare. */
const evidenceSchema = z.object({
  /** Summary by the one who did it. */
  summary: z.string(),
  /** The tree the checks ran on. */
  tree: objectIdSchema,
  /** In the order of their paths' bytes, at most 500; `changed_files` counts all. */
  files: z.array(evidenceFileSchema),
  changed_files: z.int().min(0),
  commands: z.array(evidenceCommandSchema),
  /** The seed that made random values repeat, where there was one. */
  seed: z.string().nullable(),
  results: z.object({ passed: z.int().min(0), failed: z.int().min(0) }),
  /** Over what comes out the same when the same is done again, and nothing else. */
  verification_hash: sha256,
});

/** The finding of a validator (an agent, the diagnostics alone, or a person) about one exact commit. */
export const verdictSchema = z.object({
  session: sessionIdSchema,
  task: taskIdSchema,
  commit: objectIdSchema,
  /** The commit the work started from: the judged change is base..commit. */
  base: objectIdSchema,
  tree: objectIdSchema,
  status: z.enum(['pass', 'fail']),
  notes: z.string(),
  issues: z.array(z.string()),
  diagnostics: z.array(diagnosticRunSchema),
  /** Agent id, `diagnostics`, or the person's identity. */
  by: z.string(),
  at: z.string(),
  cost_usd: z.number(),
  tokens: z.number(),
  /** The commit that was judged, where this one holds the same files on the same ones: nothing ran again. */
  carried_from: objectIdSchema.optional(),
  /** Why a person passed it although a diagnostic, or its validation, failed. */
  override: z.string().optional(),
  /** Where a machine that joined gave it: its name, the number of its claim to judge this work, and its signature. */
  machine: machineStatementSchema.optional(),
  /** Its evidence; left out where a person takes a landing back. */
  evidence: evidenceSchema.optional(),
});
export type Verdict = Readonly<z.infer<typeof verdictSchema>>;

/** The checks of a commit run once more, and what came out otherwise than its verdict said. */
const verificationSchema = z.object({
  session: z.string(),
  task: z.string(),
  commit: objectIdSchema,
  /** The verification hash of the verdict, and the one that came out now. */
  expected: sha256,
  found: sha256,
  /** One line each; none: everything came out the same. */
  differences: z.array(z.string()),
  by: z.string(),
  at: z.string(),
});

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
      commit: objectIdSchema,
      verdict: z.enum(['pass', 'fail']).nullable(),
      /** Why a person passed it although it failed its validation. */
      override: z.string().optional(),
    }),
  ),
  decision: z.literal('approved'),
  by: z.string(),
  at: z.string(),
  base: objectIdSchema,
  /** The exact commit that was shown and approved. */
  approved_commit: objectIdSchema,
  /** Remarks on lines that came with the approval; left out where there are none. */
  comments: lineCommentsSchema.optional(),
  override: z.string().nullable(),
  cost_usd: z.number(),
  tokens: z.number(),
  /** Who took the landing back, and why; left out where it stands. */
  undone: z.object({ by: z.string(), at: z.string(), reason: z.string() }).optional(),
});
export type ReviewNote = Readonly<z.infer<typeof reviewNoteSchema>>;

export type ChangedBlob = Readonly<z.infer<typeof evidenceFileSchema>>;
export type DiagnosticEvidence = Readonly<z.infer<typeof evidenceCommandSchema>>;
export type Evidence = Readonly<z.infer<typeof evidenceSchema>>;
export type DiagnosticsRerun = Readonly<z.infer<typeof verificationSchema>>;
