/** Keeps the last bytes of a stream. */
interface TailBuffer {
  readonly push: (chunk: Buffer) => void;
  text(): string;
}

export function createTailBuffer(maxBytes: number): TailBuffer {
  let chunks: Buffer[] = [];
  let size = 0;
  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < maxBytes * 2) return;
      const tail = Buffer.concat(chunks).subarray(-maxBytes);
      chunks = [tail];
      size = tail.length;
    },
    text: () => Buffer.concat(chunks).subarray(-maxBytes).toString(),
  };
}
