import * as z from 'zod';
import type { ObjectId, TaskId } from '../ids.ts';
import { objectIdPattern, taskIdPattern } from '../ids.ts';
import { textSchema } from '../text.ts';
import { lineCommentsSchema } from './line-comment.ts';
import { machineWordSchema } from './machine.ts';
import { diagnosticRunSchema } from './verdict.ts';

const oid = z
  .string()
  .regex(objectIdPattern)
  .transform((id) => id as ObjectId);
const task = z
  .string()
  .regex(taskIdPattern)
  .transform((id) => id as TaskId);

/**
 * waiting ─approve─▶ approved ─land─▶ landed
 *    ├─reject─▶ rejected   ├─base moved─▶ void (built again)
 *    ├─skip─▶ skipped      └─conflict─▶ conflict
 *    └─a group it needs was not approved─▶ deferred
 */
const changesetStates = [
  'waiting',
  'approved',
  'rejected',
  'skipped',
  'deferred',
  'landed',
  'conflict',
  'void',
] as const;

/** Characters of a message that a person writes. */
const messageLimit = 50_000;

const diffStatSchema = z.object({ files: z.int(), insertions: z.int(), deletions: z.int() });
export type DiffStat = z.infer<typeof diffStatSchema>;

/** The work of one cohesion group, merged onto `base` (or onto the changeset it depends on) as `commit`. */
export const changesetSchema = z.object({
  /** `<cycle>-<group>`, unique in its session. */
  id: z.string(),
  group: z.string(),
  tasks: z.array(task),
  /** The commit of each of its tasks that it was built from; left out by earlier versions. */
  works: z.array(oid).optional(),
  /** Tasks of the group that had not passed when it was built. */
  missing: z.array(task),
  depends_on: z.array(z.string()),
  state: z.enum(changesetStates),
  base: oid,
  /** First parent of commit: base, or the changeset this one stacks on. */
  parent: oid,
  commit: oid,
  diffstat: diffStatSchema,
  diagnostics: z.array(diagnosticRunSchema),
  reason: z.string().nullable(),
  /**
   * Of one that was rejected in part: the tasks that went back. The others of it go on, in a changeset of their own. Left
   * out where all of them went back.
   */
  rejected_tasks: z.array(task).optional(),
  /** Remarks on lines that came with an approval. */
  remarks: lineCommentsSchema.optional(),
  /** Its commit message, where the person wrote one when they approved it. */
  message: textSchema(messageLimit).optional(),
  decided_by: z.string().nullable(),
  /** The signed statement of a machine that joined and built it, or took its approval. */
  built_on: machineWordSchema.optional(),
  approved_on: machineWordSchema.optional(),
  landed_commit: oid.nullable(),
  /** The commit it landed on, where that is not the first parent of landed_commit: it landed as several commits. */
  landed_onto: oid.optional(),
  /** Once its landing was taken back: as what it had landed. It is rejected then. Left out before. */
  undone: z.object({ commit: oid, by: z.string(), at: z.string() }).optional(),
});
export type Changeset = Readonly<z.infer<typeof changesetSchema>>;
