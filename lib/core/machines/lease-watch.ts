import type { ObjectId } from '../../domain/ids.ts';
import type { Lease } from '../../domain/ports/sharing-port.ts';

/** An observer's knowledge of one heartbeat: its commit, and for how long it was seen unchanged. */
export interface WatchedHeartbeat {
  /** null: there is none. */
  readonly tip: ObjectId | null;
  readonly silentMs: number;
}

/** By the machine's ref. */
export type LeaseWatch = ReadonlyMap<string, WatchedHeartbeat>;

/**
 * The watch after one more look. `elapsedMs` is the time since the look before, by the observer's own monotonic clock:
 * no clock of another machine is ever read. It counts as one renewal at most, so that an observer that could not look,
 * since it slept or was offline, gives up no machine. A heartbeat that moved restarts the watch; one that is gone is
 * watched like one that stays the same.
 */
export function updateLeaseWatch(
  before: LeaseWatch,
  seen: ReadonlyMap<string, ObjectId>,
  { elapsedMs, renewMs }: { readonly elapsedMs: number; readonly renewMs: number },
): LeaseWatch {
  const counted = Math.min(Math.max(elapsedMs, 0), renewMs);
  const names = new Set([...before.keys(), ...seen.keys()]);
  return new Map(
    [...names].map((name): [string, WatchedHeartbeat] => {
      const tip = seen.get(name) ?? null;
      const known = before.get(name);
      const isSame = known !== undefined && known.tip === tip;
      return [name, { tip, silentMs: isSame ? known.silentMs + counted : 0 }];
    }),
  );
}

/** Whether a machine is given up: it was silent for the whole lease. */
export function isGivenUp(
  { silentMs }: Pick<WatchedHeartbeat, 'silentMs'>,
  { leaseMs }: Pick<Lease, 'leaseMs'>,
): boolean {
  return silentMs >= leaseMs;
}
