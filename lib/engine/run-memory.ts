import type { Spending } from '../domain/state/spending.ts';

/** What is known of a session's budget beyond what is booked. */
export interface Ledger {
  /** What agents that run have spent so far; booked when they end. */
  readonly live: Map<string, Spending>;
  /** What requests on their way may use up. */
  readonly open: Map<symbol, Spending>;
  readonly waiting: Set<() => void>;
  /** The last limit a warning was shown for. */
  warnedAt: number;
  /** The limit of which less is left than an agent's next request needs. */
  tooLittleAt: number | null;
  /** One question at a time. */
  asking: Promise<unknown>;
}

interface Outage {
  /** When the first agent didn't reach the service, in milliseconds since 1970. */
  readonly began: number;
  readonly tries: number;
}

/** What one run of the program knows that is stored nowhere; it outlasts a change of the configuration. */
export interface RunMemory {
  readonly ledger: Ledger;
  /** Services that were not reached, by adapter. */
  readonly outages: Map<string, Outage>;
  /** When the pauses end that were reported, by adapter. */
  readonly pauses: Map<string, string>;
  /**
   * What tasks that are held apart would have started from, by session and task. Found by merging, so every process
   * finds it for itself; it holds as long as exactly that work is below.
   */
  readonly heldApart: Map<string, string>;
  /** Ids of tasks that whoever leads said may be worked on; null: nobody leads, all may. */
  assigned: Set<string> | null;
  /** Warnings that were shown, see tellOnce. */
  readonly told: Set<string>;
}

export function createRunMemory(): RunMemory {
  return {
    ledger: {
      live: new Map(),
      open: new Map(),
      waiting: new Set(),
      warnedAt: 0,
      tooLittleAt: null,
      asking: Promise.resolve(),
    },
    outages: new Map(),
    pauses: new Map(),
    heldApart: new Map(),
    assigned: null,
    told: new Set(),
  };
}
