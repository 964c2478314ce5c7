import type { ObjectId, SessionId } from '../ids.ts';
import type { Heartbeat, JoinedMachineRole, MachineRole } from '../state/machine-schemas.ts';

/** How long a machine may be silent before it is given up, and the interval of its heartbeats; milliseconds. */
export interface Lease {
  readonly leaseMs: number;
  readonly renewMs: number;
}

/** A machine that is in the session, as this one sees it. */
export interface SeenMachine {
  /** null: its heartbeat can't be read. */
  readonly sign: Heartbeat | null;
  /** How long its heartbeat has stayed the same, in milliseconds of this machine's own clock. */
  readonly silentMs: number;
}

/** A machine's signed statement: its public key, and its signature over that text. */
export interface SignedStatement {
  readonly key: string;
  readonly signature: string;
}

/** A session that several machines work on through a git remote, as one of them is in it. */
export interface RemoteSession {
  readonly remote: string;
  readonly role: MachineRole;
  /** Its roles there; the lead has all of them. */
  readonly roles: readonly JoinedMachineRole[];
  /** Its agents' budget in the session, in the unit of its budget; null: as its configuration limits a session. */
  readonly budget: number | null;
  /** This machine, as its claims name it. */
  readonly machine: string;
  /** Signs a statement of this machine, so that other machines can verify its sender; see SignedStatement. */
  sign(text: string): SignedStatement;
  /** Starts heartbeats: this machine is in the session from the next exchange on. */
  enter(session: SessionId, lease: Lease): void;
  /** The others that are not given up, as the last look found them. */
  machines(): readonly SeenMachine[];
  /** Whether the machine of a claim is given up: it has been silent for the lease. */
  isGone(machine: string): boolean;
  /**
   * Whether the remote has taken no heartbeat of this machine for so long that others are about to give it up, by this
   * machine's own monotonic clock.
   */
  isCutOff(): boolean;
  /** Brings the commits of a branch of the remote; no ref moves. */
  fetchBranchCommits(branch: string): Promise<void>;
  /** Where a branch of the remote is, its commits brought; null: there is none. */
  tipOf(branch: string): Promise<ObjectId | null>;
  /** Looks at the remote now, and sends what waits. Throws what the remote answers where it was never reached. */
  exchangeNow(): Promise<void>;
}
