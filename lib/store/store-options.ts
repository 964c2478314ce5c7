import type { ObjectFormat } from '../git/objects/loose-object.ts';
import type { GitContext } from '../git/process/run-git.ts';

export interface StoreOptions {
  /** The person's folder and environment: whose identity the commits carry. */
  readonly context: GitContext;
  /** The common git directory, absolute: linked worktrees share one state. */
  readonly commonDir: string;
  readonly objectFormat: ObjectFormat;
  readonly now?: () => Date;
  /** Named in the `Host` trailer of each commit; none if not given. */
  readonly hostname?: string;
}
