import { createServer, type Socket } from 'node:net';
import type { Adapter } from '../../domain/ports/adapter.ts';
import type { AgentRequest } from '../../domain/ports/agent-port.ts';
import { parseJson } from '../../util/json.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { listenOn } from '../gateway/listen-on.ts';

interface Ending {
  readonly adapter: Pick<Adapter, 'end'>;
  /** See AgentRequest; called once. A rejection: the agent ends. Its signal: no hook waits for the answer any more. */
  readonly finalCheck?: AgentRequest['finalCheck'];
}

interface Door {
  /** The socket. */
  readonly file: string;
  /** Called before the agent gets the answer. */
  readonly onObjections: (about: readonly string[]) => void;
}

/** A hook reports the last words with little beside them. */
const largestReportBytes = 1_000_000;
/** The longest wait: what is found later is found after its end, too; the checks have own limits. In milliseconds. */
const longestMs = 3_600_000;

/**
 * Opens the socket where an agent's hook asks, as the agent means to end, whether it must go on: the first answer
 * counts, all later ones are empty. null: it is not asked. Closing ends the search for an answer, and waits for that.
 * It protects nothing: after any failure the agent ends. Programs of its cell can ask too, and spend its turn.
 */
export async function openFinalCheckSocket(
  { adapter: { end: facts }, finalCheck: ask }: Ending,
  { file, onObjections }: Door,
): Promise<{ close(): Promise<void> } | null> {
  if (facts === null || ask === undefined) return null;
  let isAsked = false;
  const abandoned = new AbortController();
  let answered: Promise<unknown> = Promise.resolve();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.setTimeout(longestMs, () => socket.destroy());
    readReport(socket, async (reported) => {
      if (isAsked) return '';
      isAsked = true;
      socket.once('close', () => abandoned.abort());
      const answer = ask(facts.parseLastMessage(reported), abandoned.signal).catch(() => null);
      answered = answer;
      const objections = await answer;
      if (objections === null || socket.destroyed) return '';
      onObjections(objections.about);
      return `${facts.renderContinue(objections.message)}\n`;
    });
  });
  server.maxConnections = 8;
  const listening = await listenOn(server, file);
  return {
    close: async () => {
      abandoned.abort();
      await listening.close();
      await answered;
    },
  };
}

/** Builds the hook's command: it fails where no server answers, and then its agent ends. */
export function buildFinalCheckHookCommand(bridge: string, socket: string): string {
  return [process.execPath, bridge, '--stdio', socket].map(shellQuote).join(' ');
}

function readReport(socket: Socket, answer: (reported: unknown) => Promise<string>): void {
  const chunks: Buffer[] = [];
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > largestReportBytes) socket.destroy();
    else chunks.push(chunk);
  });
  socket.on('end', () => {
    // An unreadable report holds no words; it is a hook's all the same.
    const reported = parseJson(Buffer.concat(chunks).toString());
    void answer(reported)
      .catch(() => '')
      .then((text) => socket.end(text));
  });
}
