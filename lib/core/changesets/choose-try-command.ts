import type { TryWorktree } from '../../domain/ports/git-try-worktrees.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/**
 * The command to try a changeset: `cd` where it is in a worktree to try it, else the one that makes that. null: it was
 * decided, and is in none.
 */
export function chooseTryCommand(
  { group, state }: Pick<Changeset, 'group' | 'state'>,
  { id }: Pick<Session, 'id'>,
  known: readonly TryWorktree[],
): string | null {
  const open = known.find((one) => one.session === id && one.group === group);
  if (open !== undefined) return `cd ${shellQuote(open.path)}`;
  const isOpen = state === 'waiting' || state === 'approved' || state === 'skipped';
  return isOpen ? `git flame review --try ${shellQuote(group)}` : null;
}
