import { type LeaseWatch, leaseState, watchLeases } from '../../core/machines/lease-watch.ts';
import { type Liveness, watchLiveness } from '../../core/machines/watch-liveness.ts';
import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Lease, SeenMachine } from '../../domain/ports/sharing-port.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { isBound, maySignAs } from '../../util/machine-key.ts';
import { machinesRoot } from '../sync/remote.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { machineRef, type ReadSign, readSign } from './machine-ref.ts';
import { isAncestor } from './seen-tips.ts';

/** The sign of life that counts, the last one that machine gave itself. */
interface Known {
  readonly tip: ObjectId;
  readonly read: ReadSign | null;
}

/** A move of a machine's ref that this machine did not make. */
export interface FalseSign {
  readonly ref: RefName;
  readonly commit: ObjectId;
  readonly machine: string | null;
  readonly key: string | null;
  readonly what: string;
}

/** What this machine knows of itself and the others by their signs of life, look by look. */
export class SignWatch {
  readonly #own: string;
  /** No push is under way for longer; milliseconds. */
  readonly #patienceMs: number;
  #session: SessionId | null = null;
  #lease: Lease = { leaseMs: Number.POSITIVE_INFINITY, renewMs: Number.POSITIVE_INFINITY };
  #watch: LeaseWatch = new Map();
  #known = new Map<string, Known>();
  #raw: ReadonlyMap<string, ObjectId> = new Map();
  #liveness: Liveness = new Map();
  #lookedAt: number | null = null;
  #since: string | null = null;

  constructor(own: string, patienceMs: number) {
    this.#own = own;
    this.#patienceMs = patienceMs;
  }

  enter(session: SessionId, lease: Lease): void {
    this.#session = session;
    this.#lease = lease;
  }

  /** Begins with what counted when this clone looked last, by the refs of the machines. */
  async remember(counted: ReadonlyMap<string, ObjectId>, catFile: CatFile): Promise<void> {
    for (const [ref, tip] of counted) {
      this.#known.set(ref, { tip, read: await readSign(catFile, tip) });
    }
  }

  /** Takes in where the remote stands; answers what was moved there by another machine than the one whose it is. */
  async look(theirs: RemoteRefs, catFile: CatFile): Promise<readonly FalseSign[]> {
    if (this.#session === null) return [];
    const now = performance.now();
    const elapsedMs = this.#lookedAt === null ? 0 : now - this.#lookedAt;
    this.#lookedAt = now;
    const root = `${machinesRoot}${this.#session}/`;
    const raw = new Map([...theirs].filter(([ref]) => ref.startsWith(root)));
    const found: FalseSign[] = [];
    for (const [ref, tip] of raw) {
      if (this.#raw.get(ref) === tip) continue;
      const fault = await this.#take(ref as RefName, tip, catFile);
      if (fault !== null) found.push(fault);
    }
    this.#raw = raw;
    // That a ref is gone, or is there again, is no sign: somebody else may have done that.
    const counted = new Map(this.counted());
    // How a claim of this machine's own could be given up, others measure likewise.
    this.#liveness = watchLiveness(this.#liveness, counted, {
      now,
      wallMs: Date.now(),
      leaseMs: this.#lease.leaseMs,
    });
    counted.delete(machineRef(this.#session, this.#own));
    this.#watch = watchLeases(this.#watch, counted, { elapsedMs, renewMs: this.#lease.renewMs });
    return found;
  }

  /** All there are at the remote, this one's too. */
  refs(): readonly RefName[] {
    return [...this.#raw.keys()] as RefName[];
  }

  /** The signs that count, by their refs. */
  counted(): ReadonlyMap<string, ObjectId> {
    return new Map([...this.#known].map(([ref, { tip }]) => [ref, tip]));
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

  /** Whether a machine was watched giving signs for so long that nobody can have given it up and still be about to say so. */
  isAlive(machine: string): boolean {
    if (this.#session === null) return false;
    const since = this.#liveness.get(machineRef(this.#session, machine))?.aliveSince ?? null;
    return since !== null && performance.now() - since > this.#patienceMs;
  }

  /** The machine that is known by a key; null: none gave a sign of life. */
  holderOf(key: string): string | null {
    const all = [...this.#known.values()].flatMap(({ read }) => read?.sign.machine ?? []);
    return all.find((machine) => isBound(machine) && maySignAs(machine, key)) ?? null;
  }

  /** When this machine joined, later than when it did before: its clock may have been set back. ISO 8601. */
  sinceAfter(since: string): string {
    const ref = this.#session === null ? '' : machineRef(this.#session, this.#own);
    const before = this.#known.get(ref)?.read?.sign.since;
    const last = before === undefined ? Number.NEGATIVE_INFINITY : Date.parse(before);
    this.#since ??= new Date(Math.max(Date.parse(since), last + 1)).toISOString();
    return this.#since;
  }

  async #take(ref: RefName, tip: ObjectId, catFile: CatFile): Promise<FalseSign | null> {
    const known = this.#known.get(ref);
    const read = await readSign(catFile, tip);
    const key = read?.signer ?? null;
    const machine = known?.read?.sign.machine ?? read?.sign.machine ?? null;
    const fault = (what: string): FalseSign => ({ ref, commit: tip, machine, key, what });
    // One that says it is another one stands on no ref of its own.
    const isOwn =
      read === null || this.#session === null || machineRef(this.#session, read.sign.machine) === ref;
    if (!maySignAs(ref, key) || !isOwn) return fault(`a sign of life of ${machine} that it did not give`);
    if (known === undefined || !isBound(ref) || (await isLater(read, known, catFile)))
      this.#known.set(ref, { tip, read });
    else if (tip !== known.tip && (await isAncestor(catFile.context, tip, known.tip)))
      return fault(`an old sign of life of ${machine} was put in the place of a later one`);
    return null;
  }
}

/**
 * Whether a sign came after another one of the same machine: it stands on it, or where its ref was begun anew, that
 * machine joined later, by its own clock. An old one that somebody pushes once more is neither.
 */
async function isLater(read: ReadSign | null, known: Known, catFile: CatFile): Promise<boolean> {
  if (read === null) return false;
  const [was, is] = [known.read?.sign.since ?? '', read.sign.since].map((since) => Date.parse(since));
  if (was !== undefined && is !== undefined && is > was) return true;
  return standsOn(read, known.tip, catFile);
}

// Between two looks there are few, see OwnSigns.
const mostBetween = 2_000;

async function standsOn(read: ReadSign, tip: ObjectId, catFile: CatFile): Promise<boolean> {
  const open = [...read.parents];
  const met = new Set<ObjectId>();
  for (let parent = open.shift(); parent !== undefined && met.size < mostBetween; parent = open.shift()) {
    if (parent === tip) return true;
    if (met.has(parent)) continue;
    met.add(parent);
    open.push(...((await readSign(catFile, parent))?.parents ?? []));
  }
  return false;
}
