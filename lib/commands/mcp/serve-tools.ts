import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.ts';
import type { Desk } from './desk.ts';
import { instructions } from './instructions.ts';
import { tools } from './tools.ts';

/** A larger message ends the connection; whatever is shorter is answered, be it with an error. */
const largestMessage = 16 * 1024 * 1024;

interface Served {
  /** Resolves when the client is gone. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

interface Serving {
  readonly input: Readable;
  readonly output: Writable;
  desk(): Promise<Desk>;
  /** Said to the person; never to the client. */
  warn(line: string): void;
}

/** Serves the tools over two streams, in the current revision of the protocol and those before it. */
export function serveTools({ input, output, desk, warn }: Serving): Served {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const transport = new EndingTransport(input, output, end);
  const handle = serveStdio(() => createServer({ tools, desk, warn, instructions }), {
    transport,
    onerror: (error) => warn(error.message.split('\n')[0]?.slice(0, 300) ?? ''),
  });
  return { ended, close: () => handle.close() };
}

/** Says when it is over, for whatever reason. */
class EndingTransport extends StdioServerTransport {
  readonly #onEnd: () => void;

  constructor(input: Readable, output: Writable, onEnd: () => void) {
    super(input, output, { maxBufferSize: largestMessage });
    this.#onEnd = onEnd;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onEnd();
  }
}
