import { statSync } from 'node:fs';

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
export function watchQuiet(options: {
  readonly heartbeatMs: number;
  readonly files: readonly string[];
  readonly patienceMs: number;
  /** Whether it waits for an answer of ours. */
  isWaiting(): boolean;
  onQuiet(quietMs: number): void;
  onTooLong(): void;
}): QuietWatch {
  const { heartbeatMs, files, patienceMs, isWaiting, onQuiet, onTooLong } = options;
  let [heard, lastSign, sizes, told] = [true, 0, '', 0];
  return {
    hear: () => {
      heard = true;
    },
    look: (elapsedMs) => {
      const now = files.map(sizeOf).join();
      if (heard || now !== sizes || isWaiting()) {
        [heard, sizes, lastSign, told] = [false, now, elapsedMs, 0];
        return;
      }
      const quietMs = elapsedMs - lastSign;
      if (told === 0 && quietMs >= heartbeatMs * quietLooks) {
        told = 1;
        onQuiet(Math.round(quietMs));
      }
      if (told === 1 && quietMs >= patienceMs) {
        told = 2;
        onTooLong();
      }
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
