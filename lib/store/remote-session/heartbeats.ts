import { isGivenUp, type LeaseWatch, updateLeaseWatch } from '../../core/machines/lease-watch.ts';
import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Lease, SeenMachine } from '../../domain/ports/sharing-port.ts';
import type { Heartbeat } from '../../domain/state/machine-schemas.ts';
import { makeUnwrittenObject, type UnwrittenObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { StoreParts } from '../store-options.ts';
import { machinesRoot, type PushSpec } from '../sync/remote-refs.ts';
import type { CommitIdentity } from '../write/audit-entry.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import {
  type HeartbeatOfCommit,
  machineRef,
  makeHeartbeat,
  readAuthenticHeartbeat,
  type Speak,
} from './machine-ref.ts';

interface Membership {
  readonly ref: RefName;
  readonly lease: Lease;
  readonly sign: Heartbeat;
}

interface Sign {
  readonly spec: PushSpec;
  readonly tip: ObjectId;
  readonly objects: readonly UnwrittenObject[];
}

// Looks cost a remote little, and more of them help no machine.
const longestLookMs = 15_000;
const shortestLookMs = 300;
// For a machine in no session: only the looks it asks for are made.
const neverMs = 86_400_000;

/** This machine's own heartbeats: when one is due, and its content. They go with pushes, and alone without any. */
export class OwnHeartbeatSchedule {
  readonly #speak: Speak;
  #member: Membership | null = null;
  /** Tip of its ref at the remote, and the last commit pushed to it from here. */
  #tip: ObjectId | null = null;
  #count = 0;
  #pushedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(speak: Speak) {
    this.#speak = speak;
  }

  /** `sign`: what this machine says of itself. */
  enter(session: SessionId, lease: Lease, sign: Heartbeat): void {
    this.#member = { ref: machineRef(session, sign.machine), lease, sign };
  }

  leave(): RefName | null {
    const ref = this.#member?.ref ?? null;
    this.#member = null;
    return ref;
  }

  isDue(): boolean {
    return this.#member !== null && performance.now() - this.#pushedAt >= this.#member.lease.renewMs;
  }

  /** Milliseconds until the next look is due. */
  nextLookMs(): number {
    if (this.#member === null) return neverMs;
    const { renewMs } = this.#member.lease;
    const look = Math.min(Math.max(renewMs / 6, shortestLookMs), longestLookMs);
    const now = performance.now();
    return Math.max(0, Math.min(this.#lookedAt + look, this.#pushedAt + renewMs) - now);
  }

  seen(theirs: RemoteRefs): void {
    this.#lookedAt = performance.now();
    if (this.#member !== null) this.#tip = theirs.get(this.#member.ref) ?? null;
  }

  /** null: this machine is in no session. */
  next(parts: StoreParts & { readonly identity: CommitIdentity }): Sign | null {
    if (this.#member === null) return null;
    const { ref, sign } = this.#member;
    this.#count += 1;
    const { objectFormat, identity, host } = parts;
    const sink = (...[type, content]: [UnwrittenObject['type'], string | Uint8Array]): UnwrittenObject =>
      makeUnwrittenObject(objectFormat, type, content);
    // A push moves the ref on from where it is.
    const parents = this.#tip === null ? [] : [this.#tip];
    const made = makeHeartbeat(
      sign,
      { parents, count: this.#count },
      { actor: sign.machine, host, identity, now: parts.now(), objectFormat, sink },
      this.#speak,
    );
    return { ...made, spec: { from: made.tip, to: ref } };
  }

  /** `began`: when the push did, for others count from no earlier. */
  pushed({ tip }: Sign, began: number): void {
    this.#tip = tip;
    this.#pushedAt = began;
  }

  /** One renewal before others give this machine up. One whose first sign is still to come holds nothing. */
  isCutOff(): boolean {
    if (this.#member === null || this.#pushedAt === Number.NEGATIVE_INFINITY) return false;
    const { leaseMs, renewMs } = this.#member.lease;
    return performance.now() - this.#pushedAt >= leaseMs - renewMs;
  }
}

/** The last heartbeat that a machine gave itself. */
interface Known {
  readonly tip: ObjectId;
  readonly read: HeartbeatOfCommit | null;
}

/** Watches the heartbeats of this machine and the others, look by look. */
export class MachineHeartbeatWatch {
  readonly #own: string;
  #session: SessionId | null = null;
  #lease: Lease = { leaseMs: Number.POSITIVE_INFINITY, renewMs: Number.POSITIVE_INFINITY };
  #watch: LeaseWatch = new Map();
  #known = new Map<string, Known>();
  #raw: ReadonlyMap<string, ObjectId> = new Map();
  #lookedAt: number | null = null;

  constructor(own: string) {
    this.#own = own;
  }

  enter(session: SessionId, lease: Lease): void {
    this.#session = session;
    this.#lease = lease;
  }

  /** Takes in where the remote stands. A sign that another key than the machine's signed changes nothing. */
  async look(theirs: RemoteRefs, catFile: CatFile): Promise<void> {
    if (this.#session === null) return;
    const now = performance.now();
    const elapsedMs = this.#lookedAt === null ? 0 : now - this.#lookedAt;
    this.#lookedAt = now;
    const root = `${machinesRoot}${this.#session}/`;
    const raw = new Map([...theirs].filter(([ref]) => ref.startsWith(root)));
    for (const [ref, tip] of raw) {
      if (this.#raw.get(ref) === tip) continue;
      const read = await readAuthenticHeartbeat(catFile, ref, tip);
      if (read !== 'foreign') this.#known.set(ref, { tip, read });
    }
    this.#raw = raw;
    // A ref that is gone, or there again, is no heartbeat: another machine may have done that.
    const counted = new Map([...this.#known].map(([ref, { tip }]) => [ref, tip]));
    counted.delete(machineRef(this.#session, this.#own));
    this.#watch = updateLeaseWatch(this.#watch, counted, { elapsedMs, renewMs: this.#lease.renewMs });
  }

  /** All there are at the remote, this one's too. */
  refs(): readonly RefName[] {
    return [...this.#raw.keys()] as RefName[];
  }

  /** The others that are there and not given up. */
  machines(): readonly SeenMachine[] {
    return [...this.#watch]
      .filter(([ref, seen]) => this.#raw.has(ref) && !isGivenUp(seen, this.#lease))
      .map(([ref, { silentMs }]) => ({ sign: this.#known.get(ref)?.read?.sign ?? null, silentMs }));
  }

  isGone(machine: string): boolean {
    if (this.#session === null || machine === this.#own) return false;
    const ref = machineRef(this.#session, machine);
    const known = this.#watch.get(ref);
    // One that gave no sign at all is watched from now on.
    if (known === undefined) this.#watch = new Map([...this.#watch, [ref, { tip: null, silentMs: 0 }]]);
    return known !== undefined && isGivenUp(known, this.#lease);
  }
}
