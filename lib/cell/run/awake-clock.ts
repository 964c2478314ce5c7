import { statSync } from 'node:fs';

/** A clock and its ticks; tests bring their own. */
export interface Ticker {
  /** Milliseconds that never go back. */
  now(): number;
  /** Calls again and again; returns what ends it. */
  every(ms: number, action: () => void): () => void;
}

const systemTicker: Ticker = {
  now: () => performance.now(),
  // All that tick alike wake the processor together.
  every(ms, action) {
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      timer = setTimeout(tick, ms - (performance.now() % ms) + 1);
    };
    const tick = (): void => {
      wait();
      action();
    };
    wait();
    return () => clearTimeout(timer);
  },
};

interface Watched {
  /** 0: as long as it takes. */
  readonly timeoutMs: number;
  /** How often it is looked at, in milliseconds. */
  readonly lookMs: number;
  /** While it waits for a person its time stands still. */
  isPaused?(): boolean;
  /** Its time is over. Called once. */
  onTime(): void;
  /** Called at each look with the time since the start. */
  onLook?(elapsedMs: number): void;
}

// A time limit is kept to a hundredth of it, but to a time between these.
const [mostExact, leastExact] = [1_000, 5_000];
// A gap this many looks long isn't a busy machine any more: it was suspended, or this process was.
const longestGap = 3;

/**
 * Measures how long something has run, without the time the machine slept or the run waited for a person: a
 * laptop that was closed for an hour ends no agent when it wakes, however its system counts that hour.
 * Returns what ends it.
 */
export function measureAwakeTime(watched: Watched, ticker: Ticker = systemTicker): () => void {
  const { timeoutMs, onTime, onLook } = watched;
  const exactMs = Math.min(Math.max(timeoutMs / 100, mostExact), leastExact);
  const tickMs = Math.max(1, Math.min(watched.lookMs, timeoutMs === 0 ? leastExact : timeoutMs / 4, exactMs));
  let [elapsed, last, isOver] = [0, ticker.now(), false];
  return ticker.every(tickMs, () => {
    const now = ticker.now();
    if (watched.isPaused?.() !== true) elapsed += Math.min(now - last, tickMs * longestGap);
    last = now;
    if (!isOver && timeoutMs > 0 && elapsed >= timeoutMs) {
      isOver = true;
      onTime();
    }
    onLook?.(elapsed);
  });
}

/** Looks without a sign of life after which an agent is thought to be stuck. */
const quietLooks = 4;

interface QuietWatch {
  /** The agent printed something. */
  hear(): void;
  /** Called at each look; `elapsedMs` is the time since its start. */
  look(elapsedMs: number): void;
}

/**
 * Reports once that an agent is quiet: it printed nothing and asked for nothing for four heartbeats, and once more when
 * that lasts for `patienceMs`. Again only after it has given a sign of life. `files` grow when it asks for something.
 */
export function watchForSilence(options: {
  readonly heartbeatMs: number;
  readonly files: readonly string[];
  readonly patienceMs: number;
  /** Whether it waits for an answer of ours. */
  isWaiting(): boolean;
  onQuiet(quietMs: number): void;
  onTooLong(): void;
}): QuietWatch {
  const { heartbeatMs, files, patienceMs, isWaiting, onQuiet, onTooLong } = options;
  let [heard, lastSign, sizes, reports] = [true, 0, '', 0];
  return {
    hear: () => {
      heard = true;
    },
    look: (elapsedMs) => {
      const now = files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0).join();
      if (heard || now !== sizes || isWaiting()) {
        [heard, sizes, lastSign, reports] = [false, now, elapsedMs, 0];
        return;
      }
      const quietMs = elapsedMs - lastSign;
      if (reports === 0 && quietMs >= heartbeatMs * quietLooks) {
        reports = 1;
        onQuiet(Math.round(quietMs));
      }
      if (reports === 1 && quietMs >= patienceMs) {
        reports = 2;
        onTooLong();
      }
    },
  };
}
