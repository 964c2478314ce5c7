import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Lease } from '../../domain/ports/sharing-port.ts';
import type { SignOfLife } from '../../domain/state/machine.ts';
import { makeObject, type NewObject } from '../../git/objects/make-object.ts';
import type { StoreParts } from '../store-options.ts';
import type { PushSpec } from '../sync/remote.ts';
import type { CommitIdentity } from '../write/commit-identity.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { machineRef, makeSign } from './machine-ref.ts';

interface Membership {
  readonly ref: RefName;
  readonly lease: Lease;
  readonly sign: SignOfLife;
}

interface Sign {
  readonly spec: PushSpec;
  readonly tip: ObjectId;
  readonly objects: readonly NewObject[];
}

// Looks cost a remote little, and more of them help no machine.
const longestLookMs = 15_000;
const shortestLookMs = 300;
// For a machine in no session: only the looks it asks for are made.
const neverMs = 86_400_000;

/** This machine's own heartbeats: when one is due, and its content. They go with pushes, and alone without any. */
export class OwnSigns {
  #member: Membership | null = null;
  /** Tip of its ref at the remote, and the last commit pushed to it from here. */
  #tip: ObjectId | null = null;
  #count = 0;
  #pushedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `sign`: what this machine says of itself. */
  enter(session: SessionId, lease: Lease, sign: SignOfLife): void {
    this.#member = { ref: machineRef(session, sign.machine), lease, sign };
  }

  leave(): RefName | null {
    const ref = this.#member?.ref ?? null;
    this.#member = null;
    return ref;
  }

  get ref(): RefName | null {
    return this.#member?.ref ?? null;
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
    const { objectFormat, identity, host, signer } = parts;
    const sink = (...[type, content]: [NewObject['type'], string | Uint8Array]): NewObject =>
      makeObject(objectFormat, type, content);
    // A push moves the ref on from where it is.
    const parents = this.#tip === null ? [] : [this.#tip];
    const made = makeSign(
      sign,
      { parents, count: this.#count },
      {
        actor: sign.machine,
        host,
        identity,
        now: parts.now(),
        objectFormat,
        sink,
        sign: signer?.() ?? null,
      },
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
