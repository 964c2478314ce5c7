import type { ObjectId } from '../domain/ids.ts';
import type { ChangedPaths, Trial } from '../domain/ports/git-trials.ts';
import type { Ahead } from '../domain/shown/ahead.ts';
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

/** What looks ahead have found so far, see createLookout: the waves of a run share it. */
export interface LookMemory {
  /** By trialKey: what the same two commits come to never changes. */
  readonly trials: Map<string, Trial>;
  readonly paths: Map<string, ChangedPaths | null>;
  readonly forks: Map<string, ObjectId | null>;
  /** When a commit of a task at work was first seen. */
  readonly firstSeen: Map<ObjectId, number>;
  /** What can't be read or merged isn't tried again by this process. */
  readonly failed: Set<string>;
  /** Conflicts that were told, by their tasks. */
  readonly told: Set<string>;
  /** The facts that were told last. */
  shown: string;
  isRecalled: boolean;
  last: { readonly seen: string; readonly ahead: Ahead } | null;
}

/** What a task that is held apart would have started from, see groundOf, and why it waits. */
export interface HeldApart {
  readonly ground: string;
  readonly because: string;
}

/** What one run of the program knows that is stored nowhere; it outlasts a change of the configuration. */
export interface RunMemory {
  readonly ledger: Ledger;
  /** Services that were not reached, by adapter. */
  readonly outages: Map<string, Outage>;
  /** When the pauses end that were reported, by adapter. */
  readonly pauses: Map<string, string>;
  /**
   * Tasks that are held apart, by session and task. Found by merging, so every process that starts tasks finds it for
   * itself; it holds as long as exactly that work is below.
   */
  readonly heldApart: Map<string, HeldApart>;
  /** Ids of tasks that whoever leads said may be worked on; null: nobody leads, all may. */
  assigned: Set<string> | null;
  readonly ahead: LookMemory;
  /** Whether a model leads this run. */
  isLed: boolean;
  /** Whether what has to come before work is judged was done, so that other machines may judge too. */
  isPrepared: boolean;
  /** Whether tasks can run on this machine, by CLI and model, see findUnusable. */
  readonly usable: Map<string, boolean>;
  /** What was said last of this machine having nothing to do, see tellIdle; null: it has. */
  idle: string | null;
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
    isLed: false,
    isPrepared: false,
    usable: new Map(),
    idle: null,
    ahead: createLookMemory(),
    told: new Set(),
  };
}

export function createLookMemory(): LookMemory {
  return {
    ...{ trials: new Map(), paths: new Map(), forks: new Map(), firstSeen: new Map(), failed: new Set() },
    ...{ told: new Set<string>(), shown: '[]', isRecalled: false, last: null },
  };
}
