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
 * Reports once that an agent is quiet: it printed nothing and asked for nothing for four heartbeats. Again
 * only after it has given a sign of life. `files` grow when it asks for something.
 */
export function watchQuiet(options: {
  readonly heartbeatMs: number;
  readonly files: readonly string[];
  onQuiet(quietMs: number): void;
}): QuietWatch {
  const { heartbeatMs, files, onQuiet } = options;
  let [heard, lastSign, sizes, isTold] = [true, 0, '', false];
  return {
    hear: () => {
      heard = true;
    },
    look: (elapsedMs) => {
      const now = files.map(sizeOf).join();
      if (heard || now !== sizes) {
        [heard, sizes, lastSign, isTold] = [false, now, elapsedMs, false];
        return;
      }
      const quietMs = elapsedMs - lastSign;
      if (isTold || quietMs < heartbeatMs * quietLooks) return;
      isTold = true;
      onQuiet(Math.round(quietMs));
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
