import type { Session } from './session.ts';

/**
 * What must still be brought along in a clone, by its name: a session that came through sync may record another clone's
 * checkout.
 */
export function ownCheckout(
  { place }: { readonly place: string },
  { checkout }: Pick<Session, 'checkout'>,
): Session['checkout'] {
  return checkout === null || (checkout.place !== null && checkout.place !== place) ? null : checkout;
}
