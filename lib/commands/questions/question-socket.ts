import { randomBytes } from 'node:crypto';
import { readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { listenOn } from '../../cell/gateway/listen-on.ts';
import { makeRunFolder } from '../../cell/run-folder.ts';
import { makeSocketFolder } from '../../cell/watcher/socket-folder.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { QuestionChannel } from '../../domain/questions/question-data.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { findStartingAgent, rememberConnectedChats } from '../../trust/chat-processes.ts';
import { requirePersonNotChat } from '../../trust/decisions/open-decision-log.ts';
import { errorMessage } from '../../util/error-text.ts';
import { readLink, readProcessStart } from '../../util/process-identity.ts';
import { randomName } from '../../util/short-names.ts';
import { replaceFile } from '../../util/write-files.ts';
import {
  clientHelloSchema,
  readJsonLines,
  type SocketQuestion,
  socketQuestionSchema,
  writeJsonLine,
} from './question-clients.ts';
import { questionSocketFile } from './socket-names.ts';

/** Longer than any edited plan; a client that sends more at once is not git-flame's. */
const longestQuestion = 4_000_000;

interface DoorOptions {
  readonly commonDir: string;
  readonly env: Io['env'];
  readonly line: QuestionChannel;
}

/**
 * Lets boards and commands of other processes see and answer a run's questions: by a socket that only the person's own
 * processes can open. A client proves its process id, so that a program that a chat's model started can't answer.
 */
export async function openQuestionSocket(options: DoorOptions): Promise<{ close(): Promise<void> }> {
  const { commonDir } = options;
  const folder = makeRunFolder(commonDir, randomName('door'));
  try {
    const sockets = makeSocketFolder(folder);
    const path = join(sockets.path, 'door.sock');
    const server = createServer((socket) => receive(socket, { ...options, control: folder.control }));
    const listening = await listenOn(server, path);
    // Written only after listen(), so that a client that finds the file can connect.
    replaceFile(join(folder.root, questionSocketFile), path, 0o600);
    rememberConnectedChats(options);
    return {
      close: async () => {
        await listening.close();
        await sockets.remove();
        await folder.remove();
      },
    };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

/** A client, as it was when it proved its process id. */
interface Visitor {
  readonly pid: number;
  /** See readProcessStart. */
  readonly start: string;
  /** The file that it holds open while it is connected. */
  readonly proof: string;
  /** The chat it was started by; null: none. */
  readonly chat: string | null;
}

type Door = DoorOptions & { readonly control: string };

/** Serves one client. An error with it closes that connection, never the run. */
function receive(socket: Socket, { control, ...options }: Door): void {
  const { line } = options;
  const proof = join(control, randomBytes(16).toString('hex'));
  try {
    writeFileSync(proof, '', { mode: 0o600 });
  } catch {
    // The disk is full: a board tries again.
    socket.destroy();
    return;
  }
  const unwatch: (() => void)[] = [];
  let visitor: Visitor | null = null;
  socket.on('close', () => {
    rmSync(proof, { force: true });
    for (const one of unwatch) one();
  });
  const hear = (value: unknown): void => {
    if (visitor === null) {
      visitor = admit(clientHelloSchema.parse(value).pid, { ...options, proof });
      writeJsonLine(socket, { state: line.read() });
      unwatch.push(line.watch(() => writeJsonLine(socket, { state: line.read() })));
      return;
    }
    void reply(socket, socketQuestionSchema.parse(value), { ...options, visitor });
  };
  readJsonLines(socket, hear, { longest: longestQuestion });
  writeJsonLine(socket, { proof });
}

/** Checks the client's process id. Throws where another process connected. */
function admit(pid: number, { proof, ...options }: DoorOptions & { readonly proof: string }): Visitor {
  const start = readProcessStart(pid);
  if (start === null || !holdsOpen(pid, proof)) throw new Error('another process has this id');
  return { pid, start, proof, chat: findStartingAgent({ ...options, pid }) };
}

async function reply(
  socket: Socket,
  question: SocketQuestion,
  { visitor, ...options }: DoorOptions & { readonly visitor: Visitor },
): Promise<void> {
  const { n } = question;
  const { line } = options;
  try {
    if ('text' in question) {
      writeJsonLine(socket, { n, text: await line.text(question.text.gate, question.text.what) });
      return;
    }
    requirePersonNotChat(
      'How a question is answered',
      () => visitor.chat ?? findStartingAgent({ ...options, pid: visitor.pid }),
    );
    requireStillThere(visitor);
    await line.answer(question.answer);
    writeJsonLine(socket, { n });
  } catch (error) {
    const { kind, code, message, hints, lines } = error instanceof FlameError ? error : answerFailed(error);
    writeJsonLine(socket, { n, error: { kind, code, message, hints, details: lines } });
  }
}

/** A connection outlives who opened it where a child has it too, and who started that child is not known any more. */
function requireStillThere({ pid, start, proof }: Visitor): void {
  if (readProcessStart(pid) === start && holdsOpen(pid, proof)) return;
  throw new FlameError({
    kind: 'refused',
    code: 'opened-by-another',
    message: `Process ${pid}, which opened this connection, has ended, so the answer has no known sender.`,
    hints: ['git flame board'],
  });
}

function answerFailed(error: unknown): FlameError {
  const reason = errorMessage(error);
  return new FlameError({
    kind: 'internal',
    code: 'answer-failed',
    message: `The run failed to apply this answer: ${reason.split('\n')[0] ?? ''}`,
    hints: ['git flame status'],
    cause: error,
  });
}

/** Whether a process has a file open; where that can't be seen, the socket's own rights have to do. */
function holdsOpen(pid: number, file: string): boolean {
  if (process.platform !== 'linux') return true;
  const folder = `/proc/${pid}/fd`;
  try {
    const path = realpathSync(file);
    return readdirSync(folder).some((name) => readLink(join(folder, name)) === path);
  } catch {
    return false;
  }
}
