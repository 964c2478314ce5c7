import type { SessionId } from '../ids.ts';

const decisionKinds = [
  /** A session's objective, and the branch it lands on. */
  'session',
  /** The request of a task. */
  'task',
  /** How a task stands: its status, what its work starts from and what its next agent reads. */
  'standing',
  /** Whether a session continues, in which cycle, and what it plans. */
  'course',
  /** A task runs with an adapter its configuration doesn't offer. */
  'adapter',
  'verdict',
  'changeset',
  /** Commits were judged by the rules of their task. */
  'work',
  /** The diagnostics were run on a commit. */
  'checks',
  'approval',
  /** The message that a work lands with, as any commit. */
  'message',
  /** A changeset is part of the branch. */
  'landed',
  'limit',
  /** Notes for the next plan. */
  'replan',
  /** A work tree that has to follow a landing. */
  'checkout',
  /** A service refused this clone for a while. */
  'pause',
  /** Memory of this clone for later planners. */
  'memory',
  /** A note left here for later tasks. */
  'note',
  /** Verdicts of a machine count. */
  'machine',
] as const;
type DecisionKind = (typeof decisionKinds)[number];

/**
 * Kinds that another person's signature can decide. Findings about commits are made again here, and only this clone
 * decides about its adapters and its work tree.
 */
export const signableDecisionKinds: readonly DecisionKind[] = [
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
export interface LoggedDecision {
  readonly kind: DecisionKind;
  readonly session: SessionId;
  /** Id of the task or changeset; '' of the session itself. */
  readonly about: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * Which decisions were made in this clone. What is on refs may have come from any clone: only what is recorded here, or
 * signed by a signer its person named, is trusted.
 */
export interface DecisionLog {
  /** Whether exactly this was decided here, or by a named signer. Reads nothing but memory. */
  has(decision: LoggedDecision): boolean;
  /** The signer whose signature alone makes a decision count; null where it doesn't count, or was made here. */
  signedBy(decision: LoggedDecision): string | null;
  /** Records decisions made here, durably; trusted ones stay. FlameErrors `decisions-not-kept`, `typed-in-chat`. */
  record(decisions: readonly LoggedDecision[]): void;
  /**
   * Records that decisions are used up or taken back: each is ignored, wherever it is put back, until it is made again.
   * Throws FlameError `decisions-not-kept`.
   */
  supersede(decisions: readonly LoggedDecision[]): void;
  /** Revokes digests that a named signer signed as superseded: decisions made here stay. */
  revoke(digests: Iterable<string>): void;
  /** The digests of what this clone decided of a session and what it superseded, as far as a signature can cover it. */
  listDigestsMadeHere(session: SessionId): {
    readonly decisions: readonly string[];
    readonly settled: readonly string[];
  };
  /** Whether anything of a session was ever decided here, be it only of one of its tasks. */
  hasDecidedInSession(session: SessionId): boolean;
  /** Reads decisions of other processes of this clone. Must be called before a state is judged. */
  refresh(): void;
  /** Another number each time anything was recorded, superseded or revoked, as far as it was taken in. */
  readonly revision: number;
  /** The names of the facts that differ from what was last decided about the same; null: nothing was. */
  listChangedFacts(decision: LoggedDecision): readonly string[] | null;
  /** The highest limit that was set here for a session; null: none was. */
  highestLimit(session: SessionId): number | null;
}
