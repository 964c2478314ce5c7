import { setTimeout as wait } from 'node:timers/promises';
import type { FlameError } from '../../domain/flame-error.ts';
import type { RefName } from '../../domain/ids.ts';
import type { TransactResult } from '../../domain/ports/store-port.ts';
import type { StoreParts, StoreWriter } from '../store-options.ts';
import { PushRefusalHistory } from '../sync/push-refusals.ts';
import type { PushSpec } from '../sync/remote-refs.ts';
import { type CommitIdentity, readCommitIdentity } from '../write/audit-entry.ts';
import type { DecidedTransactions, PendingTransaction } from '../write/decide-transactions.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { decideSharedTransactions, explainLandingRefusal, explainRemoteRefusal } from './decide-shared.ts';
import type { OwnHeartbeatSchedule } from './heartbeats.ts';
import {
  isSharedRefUpdate,
  isTransientRemoteError,
  type RemoteExchange,
  type UnconfirmedPush,
} from './remote-exchange.ts';
import type { PushRateLimit } from './remote-git-runner.ts';
import { ConnectionLossReporter, UnconfirmedPushes } from './unconfirmed-pushes.ts';

export interface SharedOptions {
  readonly remote: string;
  readonly exchange: RemoteExchange;
  readonly signs: OwnHeartbeatSchedule;
  readonly pace: PushRateLimit;
  /** Number of live machines: pushes that lost a race are retried within their time. */
  readonly machines: () => number;
  /** Called with the refs that each look found. */
  readonly onLook: (theirs: RemoteRefs) => Promise<void>;
  /** Called when the remote was lost or is back. */
  readonly onLine: (isThere: boolean, error: FlameError | null) => void;
  /** Ends what waits for a remote that doesn't come back. */
  readonly signal: AbortSignal;
}

/**
 * Changes decided where several machines change the same: on what the remote has at that moment, and made once it took
 * them. All that waits goes in one push; what lost a race is decided again, never sent again.
 */
export class RemoteStoreWriter implements StoreWriter {
  readonly #parts: StoreParts;
  readonly #options: SharedOptions;
  readonly #open = new Set<PendingTransaction>();
  readonly #looks = new Set<{ resolve(): void; reject(error: unknown): void }>();
  readonly #pushes = new UnconfirmedPushes();
  #identity: Promise<CommitIdentity> | null = null;
  #refusals: PushRefusalHistory;
  readonly #line: ConnectionLossReporter;
  #loop: Promise<void> | null = null;
  #wake: () => void = () => undefined;
  #isClosed = false;
  #pushMs = 100;
  #notBefore = 0;

  constructor(parts: StoreParts, options: SharedOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#refusals = new PushRefusalHistory(options.remote);
    this.#line = new ConnectionLossReporter(options.onLine);
  }

  transact(decide: PendingTransaction['decide']): Promise<TransactResult> {
    return new Promise((resolve, reject) => {
      this.#open.add({ decide, resolve, reject });
      this.#start();
    });
  }

  /** Makes one exchange, with all waiting changes. Rejects where the remote was never reached yet and can't be now. */
  look(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#looks.add({ resolve, reject });
      this.#start();
    });
  }

  /** Takes refs away from the remote. */
  forget(refs: readonly RefName[]): Promise<void> {
    return this.#options.exchange.forget(refs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#loop;
    await this.#options.exchange.close();
  }

  #start(): void {
    this.#wake();
    this.#loop ??= this.#run().finally(() => {
      this.#loop = null;
      if (!this.#isClosed && this.#open.size + this.#looks.size > 0) this.#start();
    });
  }

  async #run(): Promise<void> {
    // Callers of the same tick make one group.
    await Promise.resolve();
    while (!this.#isClosed || this.#open.size > 0) {
      if (await this.#isIdle()) continue;
      try {
        await this.#exchange();
        this.#line.answered();
      } catch (error) {
        this.#failed(error);
      }
    }
    for (const { resolve } of this.#looks) resolve();
    this.#looks.clear();
  }

  /** Waits until a caller, a look or a heartbeat is due. True: look again which. */
  async #isIdle(): Promise<boolean> {
    const { pace, signs, signal } = this.#options;
    const isAsked = this.#open.size + this.#looks.size > 0;
    const held = Math.max(this.#notBefore - performance.now(), isAsked ? pace.waitMs() : 0);
    const ms = isAsked ? held : Math.max(held, signs.nextLookMs());
    if (ms <= 0 || (this.#isClosed && this.#open.size === 0)) return false;
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const stop = signal.aborted ? timer.signal : AbortSignal.any([signal, timer.signal]);
    await Promise.race([wait(ms, undefined, { signal: stop, ref: isAsked }).catch(() => undefined), woken]);
    timer.abort();
    return true;
  }

  async #exchange(): Promise<void> {
    const { exchange, signs, onLook } = this.#options;
    this.#identity ??= readCommitIdentity(this.#parts);
    const identity = await this.#identity;
    const asked = [...this.#looks];
    const theirs = await exchange.look();
    await onLook(theirs);
    signs.seen(theirs);
    const left = await exchange.takeIn(theirs);
    // The remote is elsewhere than it was looked at: what waits is decided on that.
    if (await this.#findOut(theirs)) return;
    const round = await decideSharedTransactions({
      parts: this.#parts,
      exchange,
      identity,
      open: this.#open,
    });
    const request = await exchange.requestOf(round, theirs, left);
    if (request.specs.length > 0 || signs.isDue()) await this.#push(round, { ...request, theirs, identity });
    else await this.#settle(round);
    for (const look of asked) {
      this.#looks.delete(look);
      look.resolve();
    }
  }

  async #push(
    round: DecidedTransactions,
    {
      specs,
      objects,
      theirs,
      identity,
    }: {
      readonly specs: readonly PushSpec[];
      readonly objects: DecidedTransactions['objects'];
      readonly theirs: RemoteRefs;
      readonly identity: CommitIdentity;
    },
  ): Promise<void> {
    const { exchange, signs, pace, machines } = this.#options;
    const sign = signs.next({ ...this.#parts, identity });
    const all = sign === null ? specs : [...specs, sign.spec];
    await exchange.write([...objects, ...(sign?.objects ?? [])]);
    const began = performance.now();
    const open: UnconfirmedPush = { round, specs: all };
    this.#pushes.begun(open);
    const pushed = await exchange.push(all).catch((error: unknown) => {
      if (isTransientRemoteError(error)) throw error;
      this.#pushes.forget(open);
      return this.#refused(round, error);
    });
    if (pushed === null) return;
    this.#pushMs = performance.now() - began;
    pace.pushed(machines());
    if (pushed.kind === 'done') {
      this.#pushes.forget(open);
      if (sign !== null) signs.pushed(sign, began);
      this.#refusals = new PushRefusalHistory(this.#options.remote);
      return this.#settle(round);
    }
    this.#pushes.denied(open);
    this.#notBefore = performance.now() + Math.random() * machines() * this.#pushMs;
    // A heartbeat must not wait while others win the races.
    const again = performance.now();
    if (sign !== null && signs.isDue() && (await exchange.push([sign.spec])).kind === 'done') signs.pushed(sign, again);
    try {
      this.#refusals.note(pushed, all, theirs);
    } catch (error) {
      this.#refused(round, error);
    }
  }

  /** Rejects the callers whose change the remote refuses, since it would refuse it again. */
  #refused(round: DecidedTransactions, error: unknown): null {
    const landing = [...round.owners.values()].find(({ update }) => isSharedRefUpdate(update));
    const reported =
      landing === undefined
        ? explainRemoteRefusal(error)
        : explainLandingRefusal(this.#options.remote, landing.update.ref, error);
    const asked = landing === undefined ? [...round.answers.keys()] : [landing.caller];
    if (asked.length === 0) throw reported;
    for (const caller of asked) if (this.#open.delete(caller)) caller.reject(reported);
    return null;
  }

  async #settle(round: DecidedTransactions): Promise<void> {
    await this.#options.exchange.adopt(round);
    this.#answer(round);
  }

  #answer({ answers }: DecidedTransactions): void {
    for (const [caller, answer] of answers) if (this.#open.delete(caller)) answer();
  }

  /** Answers pushes whose result was lost, by the remote's refs. True: one of them was completed. */
  async #findOut(theirs: RemoteRefs): Promise<boolean> {
    const { exchange } = this.#options;
    const taken = await this.#pushes.taken(theirs, exchange, (caller) => this.#open.has(caller));
    for (const { push } of taken) {
      await exchange.adoptRefs(push.round);
      this.#answer(push.round);
    }
    return taken.some(({ isCompleted }) => isCompleted);
  }

  #failed(error: unknown): void {
    const { signal } = this.#options;
    const waits = this.#line.failed(error, signal.aborted);
    if (waits === null || this.#isClosed) this.#giveUp(error);
    this.#notBefore = performance.now() + (waits ?? 500);
  }

  #giveUp(error: unknown): void {
    for (const caller of this.#open) caller.reject(error);
    this.#open.clear();
    for (const look of this.#looks) look.reject(error);
    this.#looks.clear();
  }
}
