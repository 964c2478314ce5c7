import { closeSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { listNamesIn } from '../../util/read-file.ts';
import { agentLogsRoot } from '../run-folder.ts';

/** A file that takes a stream up to a size; what comes after is dropped and said once, as a JSON line. */
interface CappedLog {
  write(chunk: Buffer): void;
  close(): void;
}

/** Opens the file, emptied. A full disk ends the log, not the agent. */
export function openCappedLog(file: string, maxBytes: number): CappedLog {
  const descriptor = openSync(file, 'w', 0o600);
  let written = 0;
  let isOpen = true;
  const stop = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return {
    write(chunk) {
      if (!isOpen) return;
      const part = chunk.subarray(0, maxBytes - written);
      const isFull = part.length < chunk.length;
      const mark = isFull ? `\n${JSON.stringify({ type: 'truncated', limit_bytes: maxBytes })}\n` : '';
      try {
        writeSync(descriptor, Buffer.concat([part, Buffer.from(mark)]));
      } catch {
        return stop();
      }
      written += part.length;
      if (isFull) stop();
    },
    close: stop,
  };
}

/** Between two looks, in milliseconds: longer the longer nothing comes. */
const [pauseMs, longestPauseMs] = [100, 800];
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
export async function followStream(file: string, { isLive, signal, onText, skip = 0 }: FollowOptions): Promise<void> {
  const descriptor = openSync(file, 'r');
  const decoder = new TextDecoder();
  const buffer = Buffer.alloc(chunkBytes);
  let offset = skip;
  let pause = pauseMs;
  try {
    while (!signal.aborted) {
      // Looked at before the last read, or its last words could be missed.
      const mayGrow = isLive();
      const before = offset;
      for (;;) {
        const size = readSync(descriptor, buffer, 0, chunkBytes, offset);
        if (size === 0 || signal.aborted) break;
        offset += size;
        onText(decoder.decode(buffer.subarray(0, size), { stream: true }), offset);
        // A long one must not keep everything else waiting.
        await nextTurn();
      }
      if (!mayGrow) return;
      pause = offset > before ? pauseMs : Math.min(longestPauseMs, pause * 2);
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A log of agents' doings that was last written before a time. */
export interface OldLog {
  readonly path: string;
  readonly bytes: number;
}

/** Logs last written before `until`, but for those whose name begins with a word that is still needed. */
export function listOldLogs(commonDir: string, until: Date, needed: readonly string[] = []): readonly OldLog[] {
  const folder = agentLogsRoot(commonDir);
  return listNamesIn(folder).flatMap((name) => {
    if (needed.some((word) => name.startsWith(`${word}.`))) return [];
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.mtimeMs >= until.getTime()) return [];
    return [{ path, bytes: stat.size }];
  });
}

export function removeLog({ path }: OldLog): void {
  rmSync(path, { force: true });
}
