import type { SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';

/**
 * The ended sessions beyond the newest `keep` of all that are at hand, oldest first. One that is still in use
 * stays: a task is claimed, a checkout must still be brought along, or it is in `busy` (its worktrees exist).
 */
export function sessionsToArchive(
  snapshot: Snapshot,
  { keep, busy }: { readonly keep: number; readonly busy: ReadonlySet<SessionId> },
): readonly SessionId[] {
  const atHand = snapshot.sessions.filter(({ archived_at }) => archived_at === undefined);
  return atHand
    .slice(0, Math.max(0, atHand.length - keep))
    .filter(({ id, state, checkout }) => {
      const isInUse = busy.has(id) || checkout !== null || snapshot.current?.id === id;
      return (
        state === 'ended' && !isInUse && snapshot.tasksOf(id).every(({ status }) => status !== 'claimed')
      );
    })
    .map(({ id }) => id);
}
