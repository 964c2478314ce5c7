import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { listenOn } from '../../cell/gateway/listen-on.ts';
import { makeRunFolder } from '../../cell/run-folder.ts';
import { makeSocketFolder } from '../../cell/watcher/socket-folder.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GateLine } from '../../domain/shown/gate.ts';
import { chatAround } from '../../trust/chats.ts';
import { requireOwnTerminal } from '../../trust/decisions/persons-word.ts';
import { randomName } from '../../util/random-name.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/replace-file.ts';
import { type DoorQuestion, hearLines, helloSchema, questionSchema, sayLine } from './door-lines.ts';

/** In the run folder of a door: where its socket is. */
export const doorFile = 'door';
export const doorPrefix = 'door-';

interface DoorOptions {
  readonly commonDir: string;
  readonly line: GateLine;
}

/**
 * Lets boards and commands of other processes see what a run asks, and answer: by a socket that the person's own
 * processes alone can open. Whoever comes in proves its number, so that none of what a chat's model started answers.
 */
export async function openGateDoor({ commonDir, line }: DoorOptions): Promise<{ close(): Promise<void> }> {
  const folder = makeRunFolder(commonDir, randomName('door'));
  try {
    const sockets = makeSocketFolder(folder);
    const path = join(sockets.path, 'door.sock');
    const server = createServer((socket) => receive(socket, { commonDir, line, control: folder.control }));
    const listening = await listenOn(server, path);
    // Only now: who finds the file finds somebody who listens.
    replaceFile(join(folder.root, doorFile), path, 0o600);
    return {
      close: async () => {
        await listening.close();
        sockets.remove();
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function receive(
  socket: Socket,
  { commonDir, line, control }: DoorOptions & { readonly control: string },
): void {
  const proof = join(control, randomBytes(16).toString('hex'));
  writeFileSync(proof, '', { mode: 0o600 });
  const unwatch: (() => void)[] = [];
  let pid: number | null = null;
  socket.on('close', () => {
    rmSync(proof, { force: true });
    for (const one of unwatch) one();
  });
  hearLines(socket, (value) => {
    if (pid === null) {
      const { pid: named } = helloSchema.parse(value);
      if (!holdsOpen(named, proof)) throw new Error('it is somebody else');
      pid = named;
      rmSync(proof, { force: true });
      sayLine(socket, { state: line.read() });
      unwatch.push(line.watch(() => sayLine(socket, { state: line.read() })));
      return;
    }
    void reply(socket, questionSchema.parse(value), { commonDir, line, pid });
  });
  sayLine(socket, { proof });
}

async function reply(
  socket: Socket,
  question: DoorQuestion,
  { commonDir, line, pid }: DoorOptions & { readonly pid: number },
): Promise<void> {
  const { n } = question;
  try {
    if ('text' in question) {
      sayLine(socket, { n, text: await line.text(question.text.gate, question.text.what) });
      return;
    }
    requireOwnTerminal('What is answered here', () => chatAround({ commonDir, env: variablesOf(pid), pid }));
    await line.answer(question.answer);
    sayLine(socket, { n });
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { kind, code, message, hints, lines } = error;
    sayLine(socket, { n, error: { kind, code, message, hints, details: lines } });
  }
}

/** Whether a process has a file open; where that can't be seen, the socket's own rights have to do. */
function holdsOpen(pid: number, file: string): boolean {
  if (process.platform !== 'linux') return true;
  const folder = `/proc/${pid}/fd`;
  const path = realpathSync(file);
  try {
    return readdirSync(folder).some((name) => leadsTo(join(folder, name)) === path);
  } catch {
    return false;
  }
}

function leadsTo(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** As it was started with. */
function variablesOf(pid: number): Readonly<Record<string, string>> {
  const entries = readTextOrEmpty(`/proc/${pid}/environ`).split('\0');
  return Object.fromEntries(
    entries.map((entry) => [entry.split('=', 1)[0] ?? '', entry.slice(entry.indexOf('=') + 1)]),
  );
}
