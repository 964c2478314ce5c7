import * as z from 'zod';

// More is no count of anything that happened, and a number after the largest could not be written.
const mostClaims = 1_000_000_000;

/** How often something was claimed. */
export const claimNumberSchema = z.int().min(1).max(mostClaims);

/** The number of the claim after that one; none was made where it isn't given. */
export function nextClaim(before = 0): number {
  return Math.min(before + 1, mostClaims);
}
