import { type LeaseWatch, leaseState, watchLeases } from '../../core/machines/lease-watch.ts';
import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Lease, SeenMachine } from '../../domain/ports/sharing-port.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { machinesRoot } from '../sync/remote.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { machineRef, type ReadSign, readOwnSign } from './machine-ref.ts';

/** The last heartbeat that a machine gave itself. */
interface Known {
  readonly tip: ObjectId;
  readonly read: ReadSign | null;
}

/** Watches the heartbeats of this machine and the others, look by look. */
export class SignWatch {
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
      const read = await readOwnSign(catFile, ref, tip);
      if (read !== 'foreign') this.#known.set(ref, { tip, read });
    }
    this.#raw = raw;
    // A ref that is gone, or there again, is no heartbeat: another machine may have done that.
    const counted = new Map([...this.#known].map(([ref, { tip }]) => [ref, tip]));
    counted.delete(machineRef(this.#session, this.#own));
    this.#watch = watchLeases(this.#watch, counted, { elapsedMs, renewMs: this.#lease.renewMs });
  }

  /** All there are at the remote, this one's too. */
  refs(): readonly RefName[] {
    return [...this.#raw.keys()] as RefName[];
  }

  machines(): readonly SeenMachine[] {
    return [...this.#watch]
      .filter(([ref]) => this.#raw.has(ref))
      .map(([ref, { silentMs }]) => {
        const sign = this.#known.get(ref)?.read?.sign ?? null;
        return { machine: sign?.machine ?? null, sign, silentMs, state: leaseState(silentMs, this.#lease) };
      });
  }

  isGone(machine: string): boolean {
    if (this.#session === null || machine === this.#own) return false;
    const ref = machineRef(this.#session, machine);
    const known = this.#watch.get(ref);
    // One that gave no sign at all is watched from now on.
    if (known === undefined) this.#watch = new Map([...this.#watch, [ref, { tip: null, silentMs: 0 }]]);
    return known !== undefined && leaseState(known.silentMs, this.#lease) === 'gone';
  }
}
