import type { ObjectId, RefName } from '../ids.ts';

/** Work that was kept when its worktree or branch was removed. */
export interface Rescue {
  /** `<session>/<task>/<n>`. */
  readonly name: string;
  readonly ref: RefName;
  readonly commit: ObjectId;
  /** The commit the work began on. */
  readonly start: ObjectId | null;
  readonly agent: string | null;
  readonly at: string | null;
  readonly why: string;
}
