import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const pauseMs = 100;
const chunkBytes = 64 * 1024;

interface FollowOptions {
  /** Whether more may still be written. */
  readonly isLive: () => boolean;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

/** Reads an agent's stream from its beginning and on, until it has ended or `signal` aborts. Throws ENOENT. */
export async function followStream(file: string, { isLive, signal, onText }: FollowOptions): Promise<void> {
  const descriptor = openSync(file, 'r');
  const decoder = new TextDecoder();
  const buffer = Buffer.alloc(chunkBytes);
  try {
    while (!signal.aborted) {
      // Looked at before the last read, or its last words could be missed.
      const mayGrow = isLive();
      for (let size = readSync(descriptor, buffer); size > 0; size = readSync(descriptor, buffer))
        onText(decoder.decode(buffer.subarray(0, size), { stream: true }));
      if (!mayGrow) return;
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    closeSync(descriptor);
  }
}
