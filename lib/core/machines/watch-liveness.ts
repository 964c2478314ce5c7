import type { ObjectId } from '../../domain/ids.ts';

/** Since when a machine was watched giving signs of life, none of them later than a lease after the one before. */
interface Seen {
  readonly tip: ObjectId;
  /** Its last sign was given after this, by the observer's monotonic clock and by the one on the wall; milliseconds. */
  readonly after: Moment;
  /** null: somebody may have given it up since the last sign. */
  readonly aliveSince: number | null;
}

interface Moment {
  readonly now: number;
  readonly wallMs: number;
}

/** By the machine's ref. */
export type Liveness = ReadonlyMap<string, Seen & { readonly lookedAt: Moment }>;

/**
 * The reverse of `watchLeases`: who gives a machine up has watched it for a lease at least, so one whose signs an observer
 * saw come faster than that, all the time, was given up by nobody. Of two clocks of the observer the one counts by which
 * more time went by: one stands still while it sleeps.
 */
export function watchLiveness(
  before: Liveness,
  seen: ReadonlyMap<string, ObjectId>,
  { leaseMs, ...at }: Moment & { readonly leaseMs: number },
): Liveness {
  return new Map(
    [...seen].map(([ref, tip]) => {
      const known = before.get(ref);
      // Its sign may be of any time before this look.
      if (known === undefined) return [ref, { tip, after: longAgo, aliveSince: null, lookedAt: at }];
      const isLate = elapsed(known.after, at) >= leaseMs;
      const stays = isLate ? null : known.aliveSince;
      if (known.tip === tip) return [ref, { ...known, aliveSince: stays, lookedAt: at }];
      return [ref, { tip, after: known.lookedAt, aliveSince: stays ?? at.now, lookedAt: at }];
    }),
  );
}

const longAgo: Moment = { now: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY };

function elapsed(from: Moment, to: Moment): number {
  return Math.max(to.now - from.now, to.wallMs - from.wallMs);
}
