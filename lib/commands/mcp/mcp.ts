import { randomBytes } from 'node:crypto';
import { PassThrough, Writable } from 'node:stream';
import { commandStoppedError } from '../../domain/flame-error.ts';
import { parseAgentId } from '../../domain/ids.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { discoverRepository } from '../../git/process/discover-repository.ts';
import { registerChat } from '../../trust/chat-processes.ts';
import type { openLeadSessionInChat } from './chat-host.ts';
import { serveTools } from './tool-server.ts';

/**
 * `git flame mcp`: the tools of a model that leads, for the person's own chat. Nothing but the protocol is written to
 * stdout. Ends with 0 when the client closes the connection: agents that run are ended, and their tasks are free.
 */
export async function run(args: CommandArgs<'mcp'>, io: Io): Promise<number> {
  const { print } = args.options;
  if (print !== null) return printEntries(args, io, print);
  const by = parseAgentId(`queen-${randomBytes(4).toString('hex')}`);
  // Clients end what doesn't end by itself within seconds: agents are given no time then.
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, ...(io.signal === undefined ? [] : [io.signal])]);
  const [input, output, nothing] = [new PassThrough(), new PassThrough(), new PassThrough()];
  io.stdin.pipe(input);
  output.pipe(io.stdout);
  nothing.end();
  // No question is ever asked there: both ends are the protocol's.
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  const quiet = { ...io, stdin: nothing, stdout, signal, hurry: gone.signal };
  // From the first answer on a model may type what looks like the person's own command.
  await noteHere(io);
  const chat: { opening: ReturnType<typeof openLeadSessionInChat> | null } = { opening: null };
  const open = async (): ReturnType<typeof openLeadSessionInChat> => {
    // There may be a repository by now.
    if (chat.opening === null) await noteHere(io);
    // Loaded only now: a client that lists the tools waits for no engine.
    chat.opening ??= import('./chat-host.ts').then((host) => host.openLeadSessionInChat(args, quiet, by));
    return chat.opening.catch((error: unknown) => {
      chat.opening = null;
      throw error;
    });
  };
  const served = serveTools({
    input,
    output,
    lead: async () => (await open()).lead,
    warn: (line) => void io.stderr.write(`git flame mcp: ${line}\n`),
  });
  await Promise.race([served.ended, aborted(io.signal)]);
  gone.abort(commandStoppedError('The chat closed the connection.'));
  await served.close();
  await (await chat.opening?.catch(() => null))?.close();
  return 0;
}

async function noteHere({ cwd, env }: Io): Promise<void> {
  const repository = await discoverRepository({ cwd, env }).catch(() => null);
  if (repository !== null) registerChat({ commonDir: repository.commonDir, env });
}

/** `--print`: what connects a chat to the tools; of one chat alone, stdout has nothing but that. */
async function printEntries(args: CommandArgs<'mcp'>, io: Io, name: string): Promise<number> {
  const [{ clientEntries }, { createOutput }] = await Promise.all([
    import('./client-entries.ts'),
    import('../../ui/terminal/output.ts'),
  ]);
  const output = createOutput(io, args.globals);
  const entries = clientEntries(name);
  output.json({ entries });
  for (const { client, where, lines } of entries) {
    const title = `# ${client}: ${where}`;
    if (name === '') output.result([title, ...lines, ''].join('\n'));
    else {
      output.info(title);
      output.result(lines.join('\n'));
    }
  }
  return 0;
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}
