import { closeSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { runFolderOwnerFile, runFoldersRoot } from '../../cell/run-folder.ts';
import { FlameError, type FlameErrorInit, restoreFlameError } from '../../domain/flame-error.ts';
import type {
  PendingQuestion,
  QuestionChannel,
  QuestionTextKind,
  RunQuestionsState,
  UncheckedAnswer,
} from '../../domain/questions/question-data.ts';
import { parseIdentity, processState } from '../../util/process-identity.ts';
import { listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { questionSocketFile, questionSocketPrefix } from './socket-names.ts';

/** Questions of runs in other processes on this machine. */
export interface QuestionClients {
  /** The connections known now; a run that has just started is among them a moment later. */
  read(): readonly QuestionChannel[];
  /** The latest decisions of runs that have ended since. */
  past(): RunQuestionsState['decided'];
  /** As `read`, after waiting up to `connectTimeoutMs` for each connection: a suspended run accepts none. */
  ready(): Promise<readonly QuestionChannel[]>;
  watch(onChange: () => void): () => void;
  close(): void;
}

const mostPast = 20;
/** In milliseconds. */
const connectTimeoutMs = 2_000;

export function openQuestionClients(commonDir: string): QuestionClients {
  const lines = new Map<string, QuestionClient>();
  let past: RunQuestionsState['decided'] = [];
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  const look = (): void => {
    const there = doorsIn(commonDir);
    for (const [name, line] of lines) {
      // A run that is ending may still send a decision.
      if (!line.isOver) continue;
      lines.delete(name);
      past = [...line.read().decided, ...past].slice(0, mostPast);
    }
    for (const [name, path] of there) if (!lines.has(name)) lines.set(name, new QuestionClient(path, onChange));
  };
  const read = (): readonly QuestionChannel[] => {
    look();
    return [...lines.values()].filter(({ isOver }) => !isOver);
  };
  return {
    read,
    past: () => past,
    ready: async () => {
      look();
      const tried = Promise.all([...lines.values()].map((line) => line.ready));
      const isTried = new AbortController();
      const late = sleep(connectTimeoutMs, undefined, { signal: isTried.signal }).catch(() => undefined);
      await Promise.race([tried, late]);
      isTried.abort();
      return read();
    },
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      for (const line of lines.values()) line.close();
    },
  };
}

/** Reads what runs of this machine ask now; questions of a suspended one are unknown. */
export async function readOpenQuestions(commonDir: string): Promise<readonly PendingQuestion[]> {
  const far = openQuestionClients(commonDir);
  try {
    return (await far.ready()).flatMap((line) => line.read().open ?? []);
  } finally {
    far.close();
  }
}

/** The run that asks or asked a question; null: none that still runs. */
export function findRunAskingQuestion(lines: readonly QuestionChannel[], gate: string): QuestionChannel | null {
  const knows = (line: QuestionChannel): boolean => {
    const { open, decided } = line.read();
    return open?.id === gate || decided.some(({ id }) => id === gate);
  };
  const [only = null, ...others] = lines;
  // A run knows more decided questions than it lists.
  return lines.find(knows) ?? (others.length === 0 ? only : null);
}

/** Sockets of living processes, by the name of their folder. Those that a killed run left are ignored. */
function doorsIn(commonDir: string): ReadonlyMap<string, string> {
  const root = runFoldersRoot(commonDir);
  const found = new Map<string, string>();
  for (const name of listNamesIn(root)) {
    if (!name.startsWith(questionSocketPrefix)) continue;
    const owner = parseIdentity(readTextOrEmpty(join(root, name, runFolderOwnerFile)));
    const path = readTextOrEmpty(join(root, name, questionSocketFile));
    if (owner !== null && path !== '' && processState(owner) === 'alive') found.set(name, path);
  }
  return found;
}

type SocketReply = { readonly n: number; readonly text?: string | null; readonly error?: FlameErrorInit };

/** The questions of one other process. */
class QuestionClient implements QuestionChannel {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (reply: SocketReply | null) => void>();
  readonly #onChange: () => void;
  readonly #listeners = new Set<() => void>();
  /** Resolves once its state is known, or the connection is closed. */
  readonly ready: Promise<void>;
  #state: RunQuestionsState = { open: null, decided: [], warnings: [] };
  #asked = 0;
  isOver = false;

  constructor(path: string, onChange: () => void) {
    this.#onChange = onChange;
    this.#socket = connect(path);
    let isReady: () => void = () => undefined;
    this.ready = new Promise((resolve) => {
      isReady = resolve;
    });
    readJsonLines(this.#socket, (value) => {
      this.#hear(
        value as Partial<SocketReply> & { readonly proof?: string; readonly state?: RunQuestionsState },
        isReady,
      );
    });
    this.#socket.on('close', () => {
      this.isOver = true;
      isReady();
      for (const settle of this.#waiting.values()) settle(null);
      this.#tell();
    });
  }

  read(): RunQuestionsState {
    return this.#state;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async answer(answer: UncheckedAnswer): Promise<void> {
    const reply = await this.#ask({ answer });
    if (reply?.error !== undefined) throw restoreFlameError(reply.error);
    if (reply === null) throw runIsGone();
  }

  async text(gate: string, what: QuestionTextKind): Promise<string | null> {
    const reply = await this.#ask({ text: { gate, what } });
    if (reply?.error !== undefined) throw restoreFlameError(reply.error);
    return reply?.text ?? null;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** null: it ended before it said anything. */
  #ask(question: object): Promise<SocketReply | null> {
    if (this.isOver) return Promise.resolve(null);
    this.#asked += 1;
    const n = this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(n, resolve);
      writeJsonLine(this.#socket, { n, ...question });
    });
  }

  #hear(
    {
      proof,
      state,
      n,
      ...reply
    }: Partial<SocketReply> & { readonly proof?: string; readonly state?: RunQuestionsState },
    isReady: () => void,
  ): void {
    if (proof !== undefined) this.#prove(proof);
    else if (state !== undefined) {
      this.#state = state;
      isReady();
      this.#tell();
    } else if (n !== undefined) {
      this.#waiting.get(n)?.({ n, ...reply });
      this.#waiting.delete(n);
    }
  }

  /** Proves that it is this process: no other could have the file open. */
  #prove(file: string): void {
    const descriptor = openSync(file, 'r');
    this.#socket.once('close', () => closeSync(descriptor));
    writeJsonLine(this.#socket, { pid: process.pid });
  }

  #tell(): void {
    this.#onChange();
    for (const listener of this.#listeners) listener();
  }
}

/** The end came while it was asked: what became of the answer is not known. */
function runIsGone(): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'run-is-gone',
    message: 'The run that asked this ended before it confirmed the answer.',
    hints: ['git flame status', 'git flame run'],
  });
}

/** A client's first line: it holds open the file named to it, which proves its process id. */
export const clientHelloSchema = z.strictObject({ pid: z.int().min(1) });
const gate = z.string().max(100);
export const socketQuestionSchema = z.union([
  z.strictObject({
    n: z.int(),
    answer: z.strictObject({ gate, answer: z.unknown(), where: z.enum(['board', 'command']) }),
  }),
  z.strictObject({ n: z.int(), text: z.strictObject({ gate, what: z.enum(['plan', 'diff', 'message']) }) }),
]);
export type SocketQuestion = z.infer<typeof socketQuestionSchema>;

/** Reads JSON values, one a line, from a socket. Closes it at a line that is no value or is longer than `longest`. */
export function readJsonLines(
  socket: Socket,
  hear: (value: unknown) => void,
  { longest = Number.POSITIVE_INFINITY }: { readonly longest?: number } = {},
): void {
  const decoder = new StringDecoder();
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    const lines = (text + decoder.write(chunk)).split('\n');
    text = lines.pop() ?? '';
    if (text.length > longest) {
      socket.destroy();
      return;
    }
    for (const line of lines) {
      try {
        hear(JSON.parse(line));
      } catch {
        socket.destroy();
        return;
      }
    }
  });
  // Its end is heard of by who waits for it.
  socket.on('error', () => undefined);
}

export function writeJsonLine(socket: Socket, value: unknown): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
}
