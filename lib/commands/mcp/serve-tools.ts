import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { isRecord } from '../../util/json-record.ts';
import { createServer } from './create-server.ts';
import type { Desk } from './desk.ts';
import { instructions } from './instructions.ts';
import { tools } from './tools.ts';

/** The revision whose every request names the one it is of; those before it are agreed on once. */
const newestRevision = '2026-07-28';
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
  refuseOtherRevisions(transport);
  return { ended, close: () => handle.close() };
}

/** The library looks at what a request says of its revision only as long as none is agreed on. */
function refuseOtherRevisions(transport: StdioServerTransport): void {
  const { onmessage: pass } = transport;
  transport.onmessage = (message) => {
    const named = revisionOf(message);
    if (named === null || named === newestRevision || !('id' in message)) return pass?.(message);
    const error = new UnsupportedProtocolVersionError({ supported: [newestRevision], requested: named });
    const said = { code: error.code, message: error.message, data: error.data };
    transport.send({ jsonrpc: '2.0', id: message.id ?? 0, error: said }).catch(() => undefined);
  };
}

/** null: it says none. */
function revisionOf(message: JSONRPCMessage): string | null {
  const params = 'params' in message ? message.params : undefined;
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  const named = meta[PROTOCOL_VERSION_META_KEY];
  return typeof named === 'string' ? named : null;
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
