import type { ObjectId, RefName } from '../../domain/ids.ts';
import { isAncestor } from '../../git/objects/read-commits.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import type { RefCommand, RefTransactions } from '../../git/refs/ref-transaction.ts';
import { collectStateTips } from '../notes/indexed-state.ts';
import { listRefs } from '../notes/read-tips.ts';
import { trackingRef } from '../sync/remote-refs.ts';
import { remoteRolledBack } from '../sync/sync-errors.ts';
import type { DecidedTransactions } from '../write/decide-transactions.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';

/** Refs that every decision of a session rests on. */
export const decisionRefNames: readonly string[] = ['refs/blueflame/sessions', 'refs/blueflame/tasks'];

type Seen = ReadonlyMap<string, ObjectId>;

/**
 * Detects rollbacks of a remote. Clones that share state only add to it: where some of it is gone, the remote was
 * reset, and a machine that went on would undo that, or claim again what others still hold.
 */
export class RollbackDetector {
  readonly #context: GitContext;
  readonly #refs: RefTransactions;
  readonly #remote: string;

  constructor({
    context,
    refs,
    remote,
  }: { readonly context: GitContext; readonly refs: RefTransactions; readonly remote: string }) {
    this.#context = context;
    this.#refs = refs;
    this.#remote = remote;
  }

  /** As of the last look; to be read before the next one. */
  read(): Promise<Seen> {
    return listRefs(this.#context, trackingRef(this.#remote, 'refs/blueflame/'));
  }

  /** Throws FlameError `remote-went-back`, and at each look from then on, until the person had a sync decide it. */
  async requireForward(before: Seen, theirs: RemoteRefs): Promise<void> {
    const back: { readonly ref: string; readonly seen: ObjectId }[] = [];
    for (const ref of decisionRefNames) {
      const seen = before.get(trackingRef(this.#remote, ref));
      const now = theirs.get(ref);
      if (seen === undefined || seen === now) continue;
      const isForward =
        now !== undefined && (await isAncestor(this.#context, { ancestor: seen, descendant: now, mayMiss: true }));
      if (!isForward) back.push({ ref, seen });
    }
    if (back.length === 0) return;
    await this.#refs.run(
      back.map(
        ({ ref, seen }): RefCommand => ({
          ref: this.#tracking(ref),
          old: theirs.get(ref) ?? null,
          new: seen,
        }),
      ),
    );
    throw remoteRolledBack(
      this.#remote,
      back.map(({ ref }) => ref),
    );
  }

  /** Notes what the remote took, as the next look would. */
  async note({ base, next }: DecidedTransactions): Promise<void> {
    const before = collectStateTips(base);
    const commands = [...collectStateTips(next)].flatMap(([ref, tip]): RefCommand[] => {
      const old = before.get(ref) ?? null;
      return tip === null || tip === old ? [] : [{ ref: this.#tracking(ref), old, new: tip }];
    });
    if (commands.length > 0) await this.#refs.run(commands);
  }

  #tracking(ref: string): RefName {
    return trackingRef(this.#remote, ref) as RefName;
  }
}
