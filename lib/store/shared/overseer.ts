import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Lease, SeenBreach } from '../../domain/ports/sharing-port.ts';
import { type Breach, isProof } from '../../domain/state/breach.ts';
import type { NewObject } from '../../git/objects/make-object.ts';
import { makeObject } from '../../git/objects/make-object.ts';
import type { RefTransactions } from '../../git/refs/ref-transaction.ts';
import { listNotes } from '../notes/note-tree.ts';
import type { StoreParts } from '../store-options.ts';
import { machinesRoot } from '../sync/remote.ts';
import { readCommitIdentity } from '../write/commit-identity.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import type { ChangeContext } from '../write/note-write.ts';
import { leadsRoot, makeLeads, readLeads } from './lead-record.ts';
import { decidingRefs } from './seen-tips.ts';
import { type FalseSign, SignWatch } from './sign-watch.ts';
import { StepJudge } from './step-judge.ts';
import { forgetOthers, keepBreaches, moveWitness, readKept, readWitness } from './witness.ts';

interface Options {
  readonly remote: string;
  /** This machine. */
  readonly own: string;
  readonly patienceMs: number;
  readonly refs: RefTransactions;
  readonly write: (objects: readonly NewObject[]) => Promise<void>;
}

/**
 * What this machine makes of what the others do at the remote, look by look: who is alive, and which steps break the rules
 * of a shared session. Those are kept as evidence before anything is decided on the state they made.
 */
export class Overseer {
  readonly watch: SignWatch;
  readonly #parts: StoreParts;
  readonly #options: Options;
  #session: SessionId | null = null;
  #judge: StepJudge | null = null;
  #judged: ReadonlyMap<string, ObjectId> = new Map();
  /** As it is on the refs. */
  #saved: ReadonlyMap<string, ObjectId> = new Map();
  /** Who led, as it is there. */
  #savedLeads = 'null';
  #breaches: readonly SeenBreach[] = [];
  #heeded = 0;
  /** Who signed any of them, those of earlier processes too. */
  readonly #distrusted = new Set<string>();

  constructor(parts: StoreParts, options: Options) {
    this.#parts = parts;
    this.#options = options;
    this.watch = new SignWatch(options.own, options.patienceMs);
  }

  enter(session: SessionId, lease: Lease): void {
    this.#session = session;
    this.watch.enter(session, lease);
  }

  breaches(): readonly SeenBreach[] {
    return this.#breaches;
  }

  isDistrusted(key: string): boolean {
    return this.#distrusted.has(key);
  }

  heeded(count: number): void {
    this.#heeded = Math.max(this.#heeded, count);
  }

  async look(theirs: RemoteRefs): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    const judge = this.#judge ?? (await this.#begin(session));
    const now = new Map(decidingRefs.flatMap((ref) => withTip(ref, theirs)));
    const signs = await this.watch.look(theirs, this.#parts.catFile);
    const steps = await judge.judge(this.#judged, now);
    this.#judged = now;
    const found = [...signs.map((sign) => this.#falseSign(session, sign)), ...steps];
    if (found.length > 0) await this.#keep(session, found);
    if (this.#heeded >= this.#breaches.length) await this.#save(judge, session);
  }

  /** What this machine had the remote take needs no judge. */
  pushed(tips: ReadonlyMap<string, ObjectId | null>): void {
    if (this.#judge === null) return;
    const own = decidingRefs.flatMap((ref) => withTip(ref, tips));
    this.#judged = new Map([...this.#judged, ...own]);
  }

  async #begin(session: SessionId): Promise<StepJudge> {
    const { remote, refs } = this.#options;
    const { sessions } = await this.#parts.reader.read();
    const atHand = new Set([session, ...[...listNotes(sessions.root)].map(({ value }) => value?.id ?? '')]);
    // What can't be read here may be any of them.
    if (!atHand.has('' as SessionId))
      await forgetOthers(this.#parts.context, refs, { remote, session, atHand });
    this.#saved = await readWitness(this.#parts.context, remote, session);
    this.#judged = new Map(decidingRefs.flatMap((ref) => withTip(ref, this.#saved)));
    const signs = [...this.#saved].filter(([ref]) => ref.startsWith(machinesRoot));
    await this.watch.remember(new Map(signs), this.#parts.catFile);
    const kept = await readKept(this.#parts.catFile, { remote, session });
    this.#distrust(kept);
    const tip = this.#saved.get(`${leadsRoot}${session}`);
    const leads = tip === undefined ? null : await readLeads(this.#parts.catFile, tip);
    this.#savedLeads = JSON.stringify(leads);
    this.#judge = new StepJudge(this.#parts, {
      ...{ watch: this.watch, session, own: this.#options.own, kept: leads },
    });
    return this.#judge;
  }

  async #keep(session: SessionId, found: readonly SeenBreach[]): Promise<void> {
    const { refs, write, remote } = this.#options;
    const { catFile } = this.#parts;
    const change = await this.#change();
    const breaches: readonly Breach[] = found.map(({ breach }) => breach);
    await keepBreaches({ catFile, refs, write, change }, { remote, session }, breaches);
    this.#distrust(breaches);
    this.#breaches = [...this.#breaches, ...found];
  }

  #distrust(breaches: readonly Breach[]): void {
    for (const breach of breaches)
      if (isProof(breach) && breach.key !== null) this.#distrusted.add(breach.key);
  }

  async #save(judge: StepJudge, session: SessionId): Promise<void> {
    const { refs, remote, write } = this.#options;
    const after = new Map([...this.#saved, ...this.#judged, ...this.watch.counted()]);
    const leads = JSON.stringify(judge.leads());
    if (leads !== this.#savedLeads) {
      const made = makeLeads(judge.leads(), await this.#change());
      await write(made);
      after.set(`${leadsRoot}${session}`, made[1].oid);
    }
    const isMoved = await moveWitness(refs, remote, { before: this.#saved, after });
    if (isMoved) this.#savedLeads = leads;
    this.#saved = isMoved ? after : await readWitness(this.#parts.context, remote, session);
  }

  async #change(): Promise<ChangeContext> {
    const { objectFormat, host, now } = this.#parts;
    const identity = await readCommitIdentity(this.#parts);
    const sink = (...[type, content]: [NewObject['type'], string | Uint8Array]): NewObject =>
      makeObject(objectFormat, type, content);
    return { actor: this.#options.own, host, identity, now: now(), objectFormat, sink };
  }

  #falseSign(session: SessionId, { ref, commit, machine, key, what }: FalseSign): SeenBreach {
    const by = key === null ? null : this.watch.holderOf(key);
    return {
      breach: { v: 1, kind: 'sign', session, task: null, machine, by, key, commit, ref, what },
      stood: null,
    };
  }
}

function withTip(
  ref: string,
  tips: ReadonlyMap<string, ObjectId | null>,
): readonly (readonly [string, ObjectId])[] {
  const tip = tips.get(ref) ?? null;
  return tip === null ? [] : [[ref, tip]];
}
