import type { SessionId } from '../ids.ts';

const decisionKinds = [
  /** What a session is for, and the branch it lands on. */
  'session',
  /** What is asked of a task. */
  'task',
  /** How a task stands: its status, what its work starts from and what its next agent reads. */
  'standing',
  /** Whether a session continues, in which cycle, and what it plans. */
  'course',
  /** That a task runs with an adapter its configuration doesn't offer. */
  'adapter',
  'verdict',
  'changeset',
  /** That commits were judged by the rules of their task. */
  'work',
  /** That the diagnostics were run on a commit. */
  'checks',
  'approval',
  /** What some work lands with, whatever commit it is built as. */
  'message',
  /** That a changeset is part of the branch. */
  'landed',
  'limit',
  /** Notes for the next plan. */
  'replan',
  /** A work tree that has to follow a landing. */
  'checkout',
  /** That a service refused this clone for a while. */
  'pause',
  /** What this clone remembered for later planners. */
  'memory',
  /** What somebody here left for later tasks. */
  'note',
  /** That what a machine says in a role counts here. */
  'machine',
] as const;
type DecisionKind = (typeof decisionKinds)[number];

/**
 * What another person's signature can decide. What was found out about commits is found out here again, and
 * only this clone decides about its adapters and its work tree.
 */
export const signedKinds: readonly DecisionKind[] = [
  'session',
  'task',
  'standing',
  'course',
  'verdict',
  'changeset',
  'approval',
  'landed',
  'limit',
  'replan',
  'note',
];

/** One decision, with exactly the facts that make it what it is. */
export interface Decision {
  readonly kind: DecisionKind;
  readonly session: SessionId;
  /** Id of the task or changeset; '' of the session itself. */
  readonly about: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * Where decisions come from. What is on refs may have come from any clone: only what was decided in this one,
 * or is signed by a signer its person named, counts here.
 */
export interface Origins {
  /** Whether exactly this was decided here, or by a named signer. Reads nothing but memory. */
  has(decision: Decision): boolean;
  /** Whose signature alone makes a decision count; null where it doesn't count, or was made here. */
  signedBy(decision: Decision): string | null;
  /** Remembers decisions made here, for good when it returns; what counts already is left as it is. Throws FlameErrors `decisions-not-kept`, `typed-in-chat`. */
  vouch(decisions: readonly Decision[]): void;
  /**
   * What was decided is used up or taken back: it no longer counts, should anybody put it back where it stood, until
   * it is decided again. Throws FlameError `decisions-not-kept`.
   */
  settle(decisions: readonly Decision[]): void;
  /** The same for digests that a named signer signed as settled: what was decided here stays. */
  withdraw(digests: Iterable<string>): void;
  /** The digests of what this clone decided of a session and what it settled, as far as a signature can say it. */
  madeHere(session: SessionId): {
    readonly decisions: readonly string[];
    readonly settled: readonly string[];
  };
  /** Whether anything of a session was ever decided here, be it only of one of its tasks. */
  knows(session: SessionId): boolean;
  /** Takes in what other processes of this clone have decided since. To be called before a state is judged. */
  refresh(): void;
  /** Another number each time anything was decided, settled or withdrawn, as far as it was taken in. */
  readonly revision: number;
  /** The names of the facts that differ from what was last decided about the same; null: nothing was. */
  changesTo(decision: Decision): readonly string[] | null;
  /** The highest limit that was set here for a session; null: none was. */
  highestLimit(session: SessionId): number | null;
}
