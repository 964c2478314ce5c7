import type { Session } from '../../domain/state/session.ts';
import { landsOn, ownCheckout } from '../../domain/state/session-facts.ts';
import { shortId } from '../../util/short-names.ts';

/** The command that updates work trees after a landing. */
export const bringsAlong = 'git flame resume';

/**
 * A warning that work trees of this clone may hold the files from before a landing, as a kill right after it leaves
 * them; null: they don't.
 */
export function behindLanding(session: Session, place: string): string | null {
  const checkout = ownCheckout({ place }, session);
  if (checkout === null) return null;
  const branch = landsOn(session);
  return `${branch} is at ${shortId(checkout.to)}, but where it is checked out the files may still be those from before that landed: ${bringsAlong} brings them along. A commit by hand before that takes the landing back.`;
}
