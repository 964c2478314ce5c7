import type { Session } from './session.ts';

/** The checkout that a clone, by its name, must still update: a synced session may record another clone's checkout. */
export function ownCheckout(
  { place }: { readonly place: string },
  { checkout }: Pick<Session, 'checkout'>,
): Session['checkout'] {
  return checkout === null || (checkout.place !== null && checkout.place !== place) ? null : checkout;
}
