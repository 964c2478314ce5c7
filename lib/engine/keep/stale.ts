import type { SessionId } from '../../domain/ids.ts';
import type { CellInfo, CellSubject } from '../../domain/ports/git-cells.ts';
import type { RefInfo } from '../../domain/ports/git-port.ts';
import type { StaleHandWorktree } from './person-worktrees.ts';

/** Something that could go. `needsForce`: it holds work that was not merged. */
export type Stale = { readonly name: string; readonly why: string; readonly needsForce: boolean } & (
  | { readonly kind: 'worktree'; readonly cell: CellInfo }
  | { readonly kind: 'own worktree'; readonly worktree: StaleHandWorktree }
  | { readonly kind: 'session'; readonly session: SessionId }
  | { readonly kind: 'commit'; readonly ref: RefInfo }
  | { readonly kind: 'rescue'; readonly ref: RefInfo; readonly isElsewhere: boolean }
  | {
      readonly kind: 'branch' | 'changeset';
      readonly ref: RefInfo;
      readonly subject: CellSubject;
      /** Whether the base branch has the commit itself: else it is kept as a rescue. */
      readonly isMerged: boolean;
    }
);
