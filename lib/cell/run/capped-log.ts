import { closeSync, openSync, writeSync } from 'node:fs';

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
