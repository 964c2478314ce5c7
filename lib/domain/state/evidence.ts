import * as z from 'zod';
import type { ObjectId } from '../ids.ts';
import { objectIdPattern } from '../ids.ts';

const oid = z
  .string()
  .regex(objectIdPattern)
  .transform((id) => id as ObjectId);
const sha256 = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** One path that the work changed; `blob` is null where it removed it. */
const evidenceFileSchema = z.object({
  path: z.string(),
  /** Octal, as in git's trees; 000000 where it was removed. */
  mode: z.string().regex(/^[0-7]{6}$/),
  blob: oid.nullable(),
});
export type EvidenceFile = Readonly<z.infer<typeof evidenceFileSchema>>;

/** One check that was run on the work. */
const evidenceCommandSchema = z.object({
  command: z.string(),
  /** null: killed by a signal or the time limit. */
  exit_code: z.int().nullable(),
  /** Of all its output, stdout and stderr as they came; null where it was not read. */
  output_hash: sha256.nullable(),
});
export type EvidenceCommand = Readonly<z.infer<typeof evidenceCommandSchema>>;

/** Evidence of a work: enough to do it again and compare. */
export const evidenceSchema = z.object({
  /** Summary by the one who did it. */
  summary: z.string(),
  /** The tree the checks ran on. */
  tree: oid,
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
export type Evidence = Readonly<z.infer<typeof evidenceSchema>>;

/** The checks of a commit run once more, and what came out otherwise than its verdict said. */
export const verificationSchema = z.object({
  session: z.string(),
  task: z.string(),
  commit: oid,
  /** The verification hash of the verdict, and the one that came out now. */
  expected: sha256,
  found: sha256,
  /** One line each; none: everything came out the same. */
  differences: z.array(z.string()),
  by: z.string(),
  at: z.string(),
});
export type Verification = Readonly<z.infer<typeof verificationSchema>>;
