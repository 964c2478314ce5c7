import * as z from 'zod';
import type { ObjectId } from '../ids.ts';
import { objectIdPattern, taskIdPattern } from '../ids.ts';

const oid = z
  .string()
  .regex(objectIdPattern)
  .transform((id) => id as ObjectId);

/** The branch of a group's changesets, as it is shown in a pull request of its own. */
export const changesetRequestSchema = z.object({
  group: z.string().regex(taskIdPattern),
  /** Short name. */
  branch: z.string(),
  /** The commit that git-flame brought it to last. */
  tip: oid,
  /** Groups whose branches it stands on. */
  on: z.array(z.string()),
  /** Ids of the landed changesets that are on it, oldest first. */
  holds: z.array(z.string()),
  pull_request: z.string().nullable(),
  /** The branch its request goes into, as last set; null before. */
  target: z.string().nullable(),
  /** The number of rounds in which something was taken up of it. */
  rounds: z.int().min(0),
  /** Once it was merged on its host: the commit of the base branch that has all of it. */
  merged: oid.nullable(),
});
export type ChangesetRequest = Readonly<z.infer<typeof changesetRequestSchema>>;

/** The branch of a group's request. Not below the landing branch: git has no branch within a branch. */
export function requestBranch(landing: { readonly branch: string }, group: string): string {
  return `${landing.branch}--${group}`;
}
