import { largestCallBytes } from './protocol.ts';

/** Reads one JSON value to the end of the stream. Rejects when it is too large or isn't JSON. */
export async function readHookInput(stream: AsyncIterable<Buffer | string>): Promise<unknown> {
  return JSON.parse(await readAll(stream));
}

/** Reads a stream of text to its end. Rejects when it is too large. */
export async function readAll(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > largestCallBytes) throw new Error('The call is larger than 16 MB; write smaller files.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}
