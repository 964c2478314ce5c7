import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

const pauseMs = 100;
const chunkBytes = 64 * 1024;

interface FollowOptions {
  /** Whether more may still be written. */
  readonly isLive: () => boolean;
  readonly signal: AbortSignal;
  /** `read`: bytes of the file up to there. */
  readonly onText: (text: string, read: number) => void;
  /** How many bytes at its beginning are passed over; absent: none. */
  readonly skip?: number;
}

/** Reads an agent's stream from its beginning and on, until it has ended or `signal` aborts. Throws ENOENT. */
export async function followStream(
  file: string,
  { isLive, signal, onText, skip = 0 }: FollowOptions,
): Promise<void> {
  const descriptor = openSync(file, 'r');
  const decoder = new TextDecoder();
  const buffer = Buffer.alloc(chunkBytes);
  let offset = skip;
  try {
    while (!signal.aborted) {
      // Looked at before the last read, or its last words could be missed.
      const mayGrow = isLive();
      for (;;) {
        const size = readSync(descriptor, buffer, 0, chunkBytes, offset);
        if (size === 0 || signal.aborted) break;
        offset += size;
        onText(decoder.decode(buffer.subarray(0, size), { stream: true }), offset);
        // A long one must not keep everything else waiting.
        await nextTurn();
      }
      if (!mayGrow) return;
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    closeSync(descriptor);
  }
}
