import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { RefUpdate } from '../../domain/ports/git-port.ts';
import type { UnwrittenObject } from '../../git/objects/make-object.ts';
import { isAncestor } from '../../git/objects/read-commits.ts';
import { type RefCommand, RefTransactions } from '../../git/refs/ref-transaction.ts';
import { killPoint } from '../../util/kill-point.ts';
import { collectStateTips } from '../notes/indexed-state.ts';
import type { StoreParts } from '../store-options.ts';
import { LocalSyncSide } from '../sync/local-state.ts';
import {
  deleteRemoteRefs,
  fetchRemoteBranchTip,
  fetchState,
  machinesRoot,
  type PushResult,
  type PushSpec,
  pushState,
} from '../sync/remote-refs.ts';
import { damagedStateNotSent, newerStateNotSent } from '../sync/sync-errors.ts';
import type { DecidedTransactions } from '../write/decide-transactions.ts';
import { emptyCommitChain, KeptCommitChains } from '../write/kept-commit-chain.ts';
import { keptRefsRoot, type RemoteRefs } from '../write/kept-commits.ts';
import { ObjectWriter } from '../write/ref-publisher.ts';
import type { RemoteGitRunner } from './remote-git-runner.ts';
import { decisionRefNames, RollbackDetector } from './rollback-detector.ts';

/** A push of which it isn't known whether the remote took it: the answer may be lost, or the push still on its way. */
export interface UnconfirmedPush {
  readonly round: DecidedTransactions;
  readonly specs: readonly PushSpec[];
}

const taskBranches = 'refs/heads/blueflame/';

/**
 * One exchange with the remote, and how its result becomes this clone's: look at the remote, push onto exactly that,
 * and move the local refs only once the remote has it.
 */
export class RemoteExchange {
  readonly #parts: StoreParts;
  readonly #remote: string;
  readonly #local: LocalSyncSide;
  readonly #objects: ObjectWriter;
  readonly #refs: RefTransactions;
  readonly #loggedRefs: RefTransactions;
  readonly #network: RemoteGitRunner;
  readonly #chains: KeptCommitChains;
  readonly #seen: RollbackDetector;
  #forgot = false;

  constructor(parts: StoreParts, { remote, network }: { readonly remote: string; readonly network: RemoteGitRunner }) {
    const { context, commonDir, objectFormat } = parts;
    this.#parts = parts;
    this.#remote = remote;
    this.#local = new LocalSyncSide({ context, commonDir, objectFormat, remote, isDry: false });
    this.#objects = new ObjectWriter(parts);
    this.#chains = new KeptCommitChains(parts.catFile, objectFormat);
    const transactions = { context, gitDir: commonDir, objectFormat, reason: `git flame ${remote}` };
    this.#refs = new RefTransactions(transactions);
    this.#loggedRefs = new RefTransactions({ ...transactions, createsReflogs: true });
    this.#seen = new RollbackDetector({ context, refs: this.#refs, remote });
    this.#network = network;
  }

  /** Reads the refs of the remote. Throws FlameErrors `remote-unreachable` and `remote-went-back`. */
  async look(): Promise<RemoteRefs> {
    const before = await this.#seen.read();
    const theirs = await this.#network.run((git) => fetchState(git, this.#remote));
    await this.#seen.requireForward(before, theirs);
    return theirs;
  }

  /**
   * Merges the remote's state into the local one, which other commands of this clone may have changed. Returns what is
   * left to push. Throws FlameErrors `damaged-state` and `newer-state`: others must not get such notes.
   */
  async takeIn(theirs: RemoteRefs): Promise<readonly PushSpec[]> {
    const merged = await this.#local.merge(theirs);
    if (merged.damage.length > 0) throw damagedStateNotSent(this.#remote, merged.damage);
    if (merged.newer.length > 0) throw newerStateNotSent(this.#remote, merged.newer);
    const { obsolete } = merged.kept;
    const isKeptThere = !merged.specs.some(({ to }) => merged.kept.tips.has(to as RefName));
    if (obsolete.there.size > 0 && isKeptThere && !this.#forgot) {
      // Once: some hosts delete nothing.
      this.#forgot = true;
      await this.#network.run((git) => deleteRemoteRefs(git, this.#remote, obsolete.there));
    }
    return merged.specs;
  }

  /**
   * Lists what a round pushes, with what is left over: state, commits to keep, and branches that belong to no single
   * clone; and the objects to write here before.
   */
  async requestOf(
    { base, next, owners, objects }: DecidedTransactions,
    theirs: RemoteRefs,
    left: readonly PushSpec[],
  ): Promise<{ readonly specs: readonly PushSpec[]; readonly objects: readonly UnwrittenObject[] }> {
    const own = [...collectStateTips(next)].flatMap(([ref, tip]): PushSpec[] =>
      tip === null || tip === (theirs.get(ref) ?? null) ? [] : [{ from: tip, to: ref }],
    );
    const updates = [...owners.values()].map(({ update }) => update);
    const branches = updates.flatMap((update): PushSpec[] =>
      update.new !== null && isSharedRefUpdate(update)
        ? [{ from: update.new, to: update.ref, expected: update.old }]
        : [],
    );
    const kept = await this.#keep(updates, theirs, left);
    const replaced = new Set<string>([...collectStateTips(base).keys(), ...kept.specs.map(({ to }) => to)]);
    return {
      specs: [...own, ...left.filter(({ to }) => !replaced.has(to)), ...kept.specs, ...branches],
      objects: [...objects, ...kept.objects],
    };
  }

  /** A task's branch is this clone's own: its commit goes along on the session's ref that keeps such. */
  async #keep(
    updates: readonly RefUpdate[],
    theirs: RemoteRefs,
    left: readonly PushSpec[],
  ): Promise<{ readonly specs: readonly PushSpec[]; readonly objects: readonly UnwrittenObject[] }> {
    const bySession = new Map<SessionId, ObjectId[]>();
    for (const { ref, new: to } of updates) {
      const [, name] = ref.match(/^refs\/(?:heads\/blueflame|blueflame\/changesets)\/([^/]+)\//) ?? [];
      if (to === null || name === undefined) continue;
      bySession.set(name as SessionId, [...(bySession.get(name as SessionId) ?? []), to]);
    }
    const found = [...bySession].map(async ([session, commits]) => {
      const ref = `${keptRefsRoot}${session}`;
      const tip = left.find(({ to }) => to === ref)?.from ?? theirs.get(ref) ?? null;
      const chain = (await this.#chains.read(tip as ObjectId | null)) ?? emptyCommitChain;
      const longer = await this.#chains.extend(session, chain, commits);
      const specs = longer.tip === null || longer.tip === chain.tip ? [] : [{ from: longer.tip as string, to: ref }];
      return { specs, objects: longer.objects };
    });
    const all = await Promise.all(found);
    return { specs: all.flatMap(({ specs }) => specs), objects: all.flatMap(({ objects }) => objects) };
  }

  async push(specs: readonly PushSpec[]): Promise<PushResult> {
    killPoint(`remote to push: ${describe(specs)}`);
    const result = await this.#network.run((git) => pushState(git, this.#remote, specs, { isAllOrNothing: true }));
    killPoint(`remote ${result.kind}: ${describe(specs)}`);
    return result;
  }

  write(objects: DecidedTransactions['objects']): Promise<void> {
    return this.#objects.write(objects);
  }

  /** Refs outside the state that are not where a round said: nothing of it may be sent. */
  async movedRefs({ owners }: DecidedTransactions): Promise<ReadonlyMap<string, ObjectId | null>> {
    const moved = new Map<string, ObjectId | null>();
    for (const { update } of owners.values()) {
      const actual = (await this.#parts.catFile.info(update.ref))?.oid ?? null;
      if (actual !== update.old) moved.set(update.ref, actual);
    }
    return moved;
  }

  /** Moves the local refs to what the remote took. */
  async adopt(round: DecidedTransactions): Promise<void> {
    await this.#seen.note(round);
    const moves = round.commands.filter((command) => command.new !== undefined);
    const outcome = await this.#run(moves);
    if (outcome.kind === 'done') return this.#parts.reader.adopt(round.next);
    // Another command of this clone wrote meanwhile: the state comes with the next look, branches by themselves.
    await this.adoptRefs(round);
  }

  /** The refs of a round that are no state. */
  async adoptRefs({ owners }: DecidedTransactions): Promise<void> {
    for (const { update } of owners.values()) await this.#run([update]);
  }

  /**
   * Lists what the remote lacks of a push, heartbeats left out. Nothing: it was taken. Some of it: a server that died
   * between two refs moved the others. null: it was not taken, or nothing shows that it was.
   */
  async lacking({ specs }: UnconfirmedPush, theirs: RemoteRefs): Promise<readonly PushSpec[] | null> {
    const brought = specs.filter(({ to }) => !to.startsWith(machinesRoot));
    if (!brought.some(({ to }) => decisionRefNames.includes(to))) return null;
    const lacking: PushSpec[] = [];
    for (const spec of brought) if (!(await this.#has(spec, theirs))) lacking.push(spec);
    return lacking.length === brought.length ? null : lacking;
  }

  async #has({ from, to }: PushSpec, theirs: RemoteRefs): Promise<boolean> {
    const [, branch] = to.match(/^refs\/heads\/(.+)$/) ?? [];
    const tip =
      branch === undefined
        ? theirs.get(to)
        : await this.#network.run((git) => fetchRemoteBranchTip(git, this.#remote, branch));
    if (tip === undefined || tip === null) return false;
    return isAncestor(this.#parts.context, { ancestor: from, descendant: tip, mayMiss: true });
  }

  /** Takes refs away from the remote, wherever they are; where it deletes none they do no harm. */
  async forget(refs: readonly RefName[]): Promise<void> {
    const gone = new Map(refs.map((ref) => [ref, null]));
    await this.#network.run((git) => deleteRemoteRefs(git, this.#remote, gone));
  }

  async close(): Promise<void> {
    await Promise.all([this.#local.close(), this.#refs.close(), this.#loggedRefs.close()]);
  }

  #run(commands: readonly RefCommand[]): ReturnType<RefTransactions['run']> {
    const isFirst = commands.some(({ ref, old }) => old === null && ref.startsWith('refs/blueflame/'));
    return (isFirst ? this.#loggedRefs : this.#refs).run(commands);
  }
}

/** Whether a ref is the person's, on the remote too: it moves there and here together. */
export function isSharedRefUpdate({ ref, isTaken }: RefUpdate): boolean {
  return isTaken !== true && ref.startsWith('refs/heads/') && !ref.startsWith(taskBranches);
}

/** The line, the server or the host is at fault, and may not be the next time. */
export function isTransientRemoteError(error: unknown): boolean {
  return (
    error instanceof FlameError &&
    ['remote-unreachable', 'remote-cannot-store', 'push-failed', 'state-busy'].includes(error.code)
  );
}

function describe(specs: readonly PushSpec[]): string {
  return specs.map(({ to }) => to).join(' ');
}
