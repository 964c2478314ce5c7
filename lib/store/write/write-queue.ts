import { closeSync, type FSWatcher, mkdirSync, openSync, readdirSync, unlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity, readProcessStart } from '../../util/process-identity.ts';

/** Gives the turn back; never throws. */
type Leave = () => Promise<void>;

// Longer than any transaction takes: what a holder of whom nothing can be known costs the others at most.
const unknownMs = 700;
// A machine with far too much to do is slow, and no process gains by racing on it as well.
const busyPatienceMs = 4_000;
// Milliseconds between two looks at the queue where the system doesn't report changes of a folder.
const unreportedMs = 4;
// The same where it does, since another machine may write there: for the next in turn, and for those behind.
const nextMs = 10;
const behindMs = 50;
// Between two looks whether the one whose turn it is still lives.
const lookMs = 50;

let count = 0;

/**
 * The queue between processes that compete for the state refs, first come, first served: a file for each, named by
 * when it came, and the first one has its turn. It orders, it doesn't protect: compare-and-swap does. So a turn
 * that doesn't come soon is simply taken, and a ticket of a process that is gone counts for nothing.
 */
export class WriterProcessQueue {
  readonly #folder: string;
  readonly #patienceMs: number;

  /** `patienceMs`: how long a turn may take before the next one begins beside it. */
  constructor(commonDir: string, { patienceMs = busyPatienceMs }: { readonly patienceMs?: number } = {}) {
    this.#folder = join(commonDir, 'blueflame', 'store-queue');
    this.#patienceMs = patienceMs;
  }

  /** Whether some process has its turn, or waits for it: then it's better to queue than to race it. */
  isUsed(): boolean {
    return this.#tickets().length > 0;
  }

  /** Counts those behind the one that has its turn. */
  behind(): number {
    return Math.max(0, this.#tickets().length - 1);
  }

  /**
   * Waits for the turn as long as the queue moves. Where it doesn't, the next one begins after four seconds, and those
   * behind it still one after the other: on a machine so slow all at once would only hinder each other. `prepare` is
   * done once while the one before has its turn.
   */
  async enter(prepare: () => Promise<unknown>): Promise<Leave> {
    const own = this.#draw();
    const leave = async (): Promise<void> => this.#remove(own);
    let first = '';
    let [since, lookedAt] = [0, 0];
    let isPrepared = false;
    for (;;) {
      const ahead = this.#tickets().filter((ticket) => isBefore(ticket, own));
      const [now] = ahead;
      if (now === undefined) return leave;
      const time = performance.now();
      if (now !== first) [first, since, lookedAt] = [now, time, time];
      if (time - lookedAt > lookMs) {
        lookedAt = time;
        const holder = stateOf(now);
        if (holder === 'gone' || (holder === 'unknown' && time - since > unknownMs)) this.#remove(now);
        if (time - since > this.#patienceMs * ahead.length) return leave;
      }
      if (ahead.length === 1 && !isPrepared) {
        isPrepared = true;
        // Errors are ignored here: they come again with the write.
        await prepare().catch(() => undefined);
      } else await this.#untilMoved(ahead);
    }
  }

  /** Until the turn has come, or that of the one before, which is the time to prepare; a while at most. */
  #untilMoved(ahead: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const over = (): void => {
        clearTimeout(timer);
        watcher?.close();
        resolve();
      };
      const watcher = this.#watch(ahead.at(-2) ?? ahead[0] ?? '', over);
      const most = watcher === null ? unreportedMs * ahead.length : ahead.length === 1 ? nextMs : behindMs;
      const timer = setTimeout(over, most);
    });
  }

  /** Watches a ticket; null: it's gone already, or the system reports no changes. */
  #watch(ticket: string, onGone: () => void): FSWatcher | null {
    try {
      return watch(join(this.#folder, ticket), onGone).on('error', onGone);
    } catch {
      return null;
    }
  }

  #remove(ticket: string): void {
    try {
      // rmSync loads more of node than a short turn takes.
      unlinkSync(join(this.#folder, ticket));
    } catch {
      // It is gone, or nothing can be written there: then git reports it.
    }
  }

  #draw(): string {
    count += 1;
    const { pid, start } = ownIdentity();
    const ticket = [Date.now(), pid, start ?? '', count].join('.');
    try {
      mkdirSync(this.#folder, { recursive: true });
      closeSync(openSync(join(this.#folder, ticket), 'w'));
    } catch {
      // If nothing can be written there, git reports it too, and better.
    }
    return ticket;
  }

  /** First come, first. */
  #tickets(): readonly string[] {
    try {
      return readdirSync(this.#folder).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    } catch {
      return [];
    }
  }
}

function isBefore(ticket: string, other: string): boolean {
  const [a, b] = [cameAt(ticket), cameAt(other)];
  return a === b ? ticket < other : a < b;
}

function cameAt(ticket: string): number {
  return Number(ticket.split('.')[0]);
}

/** A process in another container, whose pid means nothing here, loses only its place in the order. */
function stateOf(ticket: string): 'alive' | 'gone' | 'unknown' {
  const [, pid = '', start = ''] = ticket.split('.');
  if (start === '') return 'unknown';
  return readProcessStart(Number(pid)) === start ? 'alive' : 'gone';
}
