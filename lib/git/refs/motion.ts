import * as z from 'zod';

const oid = z.string().regex(/^[0-9a-f]{40,64}$/);
const identity = z.object({
  pid: z.int(),
  start: z.string().nullable(),
  host: z.string(),
  boot: z.string(),
  namespace: z.string(),
});

/**
 * A git command that takes lock files: which process started it, and what it must have changed once complete.
 */
export const motionSchema = z.object({
  owner: identity,
  /** The git; null where only its folder is known. */
  git: z.object({ pid: z.int(), start: z.string().nullable() }).nullable(),
  /** Refs that move together; null: the ref isn't there. */
  moves: z.array(z.object({ ref: z.string(), old: oid.nullable(), new: oid.nullable() })),
  /** Lock files it may take beside those of the refs; absolute. */
  locks: z.array(z.string()),
  /** A work tree that is brought from one commit to another, and the variables git does it by. */
  advance: z
    .object({
      workTree: z.string(),
      gitDir: z.string(),
      from: oid,
      to: oid,
      variables: z.record(z.string(), z.string()),
    })
    .nullable()
    .default(null),
});
export type Motion = Readonly<z.infer<typeof motionSchema>>;
/** As it is begun. */
export type NewMotion = Omit<z.input<typeof motionSchema>, 'owner'>;
