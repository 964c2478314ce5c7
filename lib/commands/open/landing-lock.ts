import { waitForLock } from './wait-for-lock.ts';

/**
 * Does `work` while no other process of this clone lands: two sessions would each take what the other is just bringing
 * into a checked-out base for the person's local changes. Rejects with the signal's reason when the person stops.
 */
export function withLandingLock<T>(
  commonDir: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return waitForLock({ commonDir, name: 'landing', signal }, work);
}
