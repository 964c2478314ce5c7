import { setTimeout as wait } from 'node:timers/promises';
import { type LeaseWatch, leaseState, watchLeases } from '../../core/machines/lease-watch.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Lease, SeenMachine, Sharing, SignedWord } from '../../domain/ports/sharing-port.ts';
import type { SignOfLife } from '../../domain/state/machine.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import type { LocalStore } from '../store-options.ts';
import { bringBranch, machinesRoot, remoteTip } from '../sync/remote.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { machineRef, readSign } from './machine-ref.ts';
import { OwnSigns } from './own-signs.ts';
import { Pace } from './pace.ts';
import { RemoteExchange } from './remote-exchange.ts';
import { SharedWriter } from './shared-writer.ts';

export interface SharingOptions {
  readonly remote: string;
  /** git where the person stands: a remote's path may be relative to it. */
  readonly network: GitContext;
  /** What this machine says of itself. */
  readonly sign: SignOfLife;
  /** See Sharing. */
  readonly budget: number | null;
  /** Signs with this machine's key. */
  readonly speak: (text: string) => SignedWord;
  /** Of all machines together; null: no limit. */
  readonly pushesPerMinute: number | null;
  /** No answer of the remote is waited for any longer; milliseconds. */
  readonly patienceMs: number;
  readonly onLine: (isThere: boolean, error: FlameError | null) => void;
  readonly signal: AbortSignal;
}

/** How long a remote is waited for that a machine says goodbye to. */
const farewellMs = 15_000;

export interface OpenedSharing extends Sharing {
  /** This machine is in the session no more, and takes its sign away; of a session that is over those of all others. */
  leave(isOver: boolean): Promise<void>;
}

/** From now on what a store changes is decided at a remote, see SharedWriter. Nothing is asked of the remote yet. */
export function openSharing(store: LocalStore, options: SharingOptions): OpenedSharing {
  const { remote, network, sign, patienceMs, pushesPerMinute, signal, onLine } = options;
  const signs = new OwnSigns();
  const opened: { exchange: RemoteExchange; writer: SharedWriter }[] = [];
  const watch = new MachineWatch(sign.machine);
  store.writeThrough((parts) => {
    const exchange = new RemoteExchange(parts, { remote, network, patienceMs });
    const writer = new SharedWriter(parts, {
      ...{ remote, exchange, signs, signal, onLine },
      pace: new Pace(pushesPerMinute),
      machines: () => 1 + watch.machines().filter(({ state }) => state !== 'gone').length,
      onLook: (theirs) => watch.look(theirs, parts.catFile),
    });
    opened.push({ exchange, writer });
    return writer;
  });
  const [only] = opened;
  if (only === undefined) throw new Error('Internal error: the store was not opened');
  return {
    remote,
    role: sign.role,
    roles: sign.roles,
    budget: options.budget,
    machine: sign.machine,
    sign: options.speak,
    get isEntered() {
      return signs.ref !== null;
    },
    enter: (session, lease) => {
      signs.enter(session, lease, sign);
      watch.enter(session, lease);
    },
    machines: () => watch.machines(),
    isGone: (machine) => watch.isGone(machine),
    isCutOff: () => signs.isCutOff(),
    bring: (branch) => bringBranch(network, remote, branch),
    tipOf: (branch) => remoteTip(network, remote, branch),
    look: () => only.writer.look(),
    leave: async (isOver) => {
      const ref = signs.leave();
      if (ref === null) return;
      // What is decided here besides goes along; a remote that is away is not waited for: its lease ends by itself.
      const last = only.writer.look().then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([last, wait(farewellMs, false, { ref: false })]))) return;
      await only.exchange.forget(isOver ? watch.refs() : [ref]);
    },
  };
}

/** What this machine knows of the others, look by look. */
class MachineWatch {
  readonly #own: string;
  #session: SessionId | null = null;
  #lease: Lease = { leaseMs: Number.POSITIVE_INFINITY, renewMs: Number.POSITIVE_INFINITY };
  #watch: LeaseWatch = new Map();
  #signs = new Map<string, { readonly tip: ObjectId; readonly sign: SignOfLife | null }>();
  #refs: readonly RefName[] = [];
  #lookedAt: number | null = null;

  constructor(own: string) {
    this.#own = own;
  }

  enter(session: SessionId, lease: Lease): void {
    this.#session = session;
    this.#lease = lease;
  }

  async look(theirs: RemoteRefs, catFile: CatFile): Promise<void> {
    if (this.#session === null) return;
    const now = performance.now();
    const elapsedMs = this.#lookedAt === null ? 0 : now - this.#lookedAt;
    this.#lookedAt = now;
    const root = `${machinesRoot}${this.#session}/`;
    const seen = new Map([...theirs].filter(([ref]) => ref.startsWith(root)));
    this.#refs = [...seen.keys()] as RefName[];
    seen.delete(machineRef(this.#session, this.#own));
    this.#watch = watchLeases(this.#watch, seen, { elapsedMs, renewMs: this.#lease.renewMs });
    for (const [ref, tip] of seen)
      if (this.#signs.get(ref)?.tip !== tip)
        this.#signs.set(ref, { tip, sign: (await readSign(catFile, tip))?.sign ?? null });
  }

  /** All there are at the remote, this one's too. */
  refs(): readonly RefName[] {
    return this.#refs;
  }

  machines(): readonly SeenMachine[] {
    return [...this.#watch]
      .filter(([, { tip }]) => tip !== null)
      .map(([ref, { silentMs }]) => {
        const sign = this.#signs.get(ref)?.sign ?? null;
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
