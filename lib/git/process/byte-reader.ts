import type { Readable } from 'node:stream';

/** Takes a stream apart: lines, and the packets of git's protocol. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** Without its end; null: the stream ended before. */
  async line(): Promise<string | null> {
    for (let searched = 0; ; ) {
      const end = this.#rest.indexOf(10, searched);
      if (end >= 0) return this.#cut(end + 1).toString('utf8', 0, end);
      searched = this.#rest.length;
      if (!(await this.#more())) return null;
    }
  }

  /** With its length in front, of those that only separate nothing else; null: the stream ended before, or isn't one of packets. */
  async packet(): Promise<Buffer | null> {
    while (this.#rest.length < 4) if (!(await this.#more())) return null;
    const head = this.#rest.toString('latin1', 0, 4);
    if (!/^[\da-f]{4}$/i.test(head)) return null;
    const length = Math.max(Number.parseInt(head, 16), 4);
    while (this.#rest.length < length) if (!(await this.#more())) return null;
    return this.#cut(length);
  }

  #cut(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next().catch(() => null);
    if (next === null || next.done === true) return false;
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    return true;
  }
}
