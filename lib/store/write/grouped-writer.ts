import { setTimeout as wait } from 'node:timers/promises';
import type { TransactResult } from '../../domain/ports/store-port.ts';
import { finishKilledRefChanges } from '../../git/refs/finish-killed-ref-changes.ts';
import { type RefCommand, type RefTransactionResult, RefTransactions } from '../../git/refs/ref-transaction.ts';
import { unreachable } from '../../util/unreachable.ts';
import { collectStateTips, openStateSnapshot } from '../notes/indexed-state.ts';
import { abandonedRefLockError, refsMovedInPart, refUpdateRefused, stateBusy } from '../store-errors.ts';
import type { StoreParts } from '../store-options.ts';
import { type CommitIdentity, readCommitIdentity } from './audit-entry.ts';
import { type DecidedTransactions, decideTransactions, type PendingTransaction } from './decide-transactions.ts';
import { AbandonedLockDetector, ObjectWriter } from './ref-publisher.ts';
import { updateReviewNotesForGitLog } from './update-review-notes.ts';

const groupSize = 128;
const patienceMs = 30_000;

/**
 * Applies transactions by compare-and-swap. Those that wait at the same time share one ref transaction; between
 * processes a lost race reads again and decides again.
 */
export class GroupedStoreWriter {
  readonly #parts: StoreParts;
  readonly #objects: ObjectWriter;
  readonly #refs: RefTransactions;
  #waiting: PendingTransaction[] = [];
  #work: Promise<void> | null = null;
  #identity: Promise<CommitIdentity> | null = null;
  /** Nothing is built on refs that a killed git had moved in part. */
  #healed: Promise<unknown> | null = null;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#objects = new ObjectWriter(parts);
    this.#refs = this.#openRefs(false);
  }

  transact(decide: PendingTransaction['decide']): Promise<TransactResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ decide, resolve, reject });
      this.#work ??= this.#drain();
    });
  }

  /** Resolves when what was asked for is done and git is gone. */
  async close(): Promise<void> {
    await this.#work;
    await this.#refs.close();
  }

  #openRefs(createsReflogs: boolean): RefTransactions {
    const { context, commonDir, objectFormat } = this.#parts;
    return new RefTransactions({
      context,
      gitDir: commonDir,
      objectFormat,
      reason: 'git flame',
      createsReflogs,
    });
  }

  async #drain(): Promise<void> {
    // Callers of the same tick make one group.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#settle(this.#waiting.splice(0, groupSize));
    this.#work = null;
  }

  /** Tries until each caller has its answer. */
  async #settle(group: readonly PendingTransaction[]): Promise<void> {
    const open = new Set(group);
    const lock = new AbandonedLockDetector();
    const began = performance.now();
    try {
      for (let tries = 0; open.size > 0; tries += 1) {
        if (performance.now() - began > patienceMs) throw stateBusy();
        // Each waits another time, so that those who raced once don't race again.
        if (tries > 0) await wait(Math.random() * Math.min(2 ** tries, 40));
        await this.#attempt(open, lock);
      }
    } catch (error) {
      for (const caller of open) caller.reject(error);
    }
  }

  /** One compare-and-swap for all open callers; those it settles leave `open`. */
  async #attempt(open: Set<PendingTransaction>, lock: AbandonedLockDetector): Promise<void> {
    await this.#heal();
    const identity = await this.#readIdentity();
    const base = await this.#parts.reader.read();
    const round = decideTransactions(base, [...open], { ...this.#parts, identity });
    const outcome = await this.#publish(round);
    switch (outcome.kind) {
      case 'done':
        this.#parts.reader.adopt(round.next);
        this.#parts.ownTips?.keep(openStateSnapshot(round.next));
        for (const [caller, answer] of round.answers) {
          open.delete(caller);
          answer();
        }
        // Callers have their answers before git's view of the reviews is updated.
        if (round.next.reviews.tip !== round.base.reviews.tip)
          await updateReviewNotesForGitLog(this.#parts, round.next);
        return;
      case 'moved':
        await this.#onMoved(outcome.ref, round, open);
        return;
      case 'locked':
        if (lock.isAbandoned(outcome.file) && !(await this.#unlock(outcome.file)))
          throw abandonedRefLockError(outcome.ref, outcome.file);
        return;
      case 'refused':
        if (open.size === 1) throw refUpdateRefused(outcome.message);
        // One caller's ref must not fail the others: each on its own.
        for (const caller of [...open]) {
          open.delete(caller);
          await this.#settle([caller]);
        }
        return;
      case 'unknown':
        return;
      default:
        unreachable(outcome);
    }
  }

  #heal(): Promise<unknown> {
    // What failed is tried again: a disk that was full may have room.
    this.#healed ??= finishKilledRefChanges(this.#parts.context, this.#parts.commonDir).catch((error: unknown) => {
      this.#healed = null;
      throw error;
    });
    return this.#healed;
  }

  #readIdentity(): Promise<CommitIdentity> {
    // The person may mend it meanwhile.
    this.#identity ??= readCommitIdentity(this.#parts).catch((error: unknown) => {
      this.#identity = null;
      throw error;
    });
    return this.#identity;
  }

  /** Whether the lock was one that a killed git of ours had left. */
  async #unlock(file: string): Promise<boolean> {
    const { context, commonDir } = this.#parts;
    return (await finishKilledRefChanges(context, commonDir)).includes(file);
  }

  async #publish({ base, commands, objects }: DecidedTransactions): Promise<RefTransactionResult> {
    if (!commands.some((command) => command.new !== undefined)) return { kind: 'done' };
    await this.#objects.write(objects);
    const tips = collectStateTips(base);
    const isFirst = commands.some(({ ref, new: to }) => to !== undefined && tips.get(ref) === null);
    const refs = isFirst ? this.#openRefs(true) : this.#refs;
    try {
      const outcome = await refs.run(commands);
      return outcome.kind === 'unknown' ? await this.#look(commands, outcome) : outcome;
    } finally {
      // Its git is of this write alone.
      if (isFirst) await refs.close();
    }
  }

  /** git ended without an answer: the refs show the outcome. */
  async #look(commands: readonly RefCommand[], outcome: RefTransactionResult): Promise<RefTransactionResult> {
    const moves = commands.filter((command) => command.new !== undefined);
    const now = await Promise.all(moves.map(({ ref }) => this.#parts.catFile.info(ref)));
    const isThere = moves.map((move, at) => (now[at]?.oid ?? null) === move.new);
    if (isThere.every((there) => there)) return { kind: 'done' };
    const [moved, unmoved] = [true, false].map((side) =>
      moves.filter((_, at) => isThere[at] === side).map(({ ref }) => ref),
    );
    if (moved !== undefined && unmoved !== undefined && moved.length > 0) throw refsMovedInPart(moved, unmoved);
    return outcome;
  }

  async #onMoved(ref: string, round: DecidedTransactions, open: Set<PendingTransaction>): Promise<void> {
    const owner = round.owners.get(ref);
    // One of the state: another process was faster.
    if (owner === undefined) return;
    const actual = (await this.#parts.catFile.info(ref))?.oid ?? null;
    const { caller, update } = owner;
    if (actual === update.old) return;
    open.delete(caller);
    caller.resolve({ kind: 'ref-moved', ref: update.ref, expected: update.old, actual });
  }
}
