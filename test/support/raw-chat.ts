import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { createInterface } from 'node:readline';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../lib/util/json.ts';
import { programFolder } from './program.ts';

/** A client of `git flame mcp` that is no SDK's: it says what it is told to, well or badly. */
export interface RawChat {
  /** Of the process it started, which is git. */
  readonly pid: number;
  /** The whole answer to a request, its `result` or its `error`; fails where none came in time, or none can come. */
  ask(method: string, params?: JsonRecord, options?: AskOptions): Promise<JsonRecord>;
  /** The same without waiting for it; the number of the request. */
  send(method: string, params?: JsonRecord): number;
  notify(method: string, params?: JsonRecord): void;
  /** Writes to the server as it is. */
  write(text: string): void;
  /** Whether a request was answered. */
  heard(request: number): boolean;
  /** What the server told the person. */
  stderr(): string;
  /** Closes the connection, or kills the server; its exit code, null after a signal. */
  end(how?: 'close' | 'kill'): Promise<number | null>;
}

interface AskOptions {
  readonly timeoutMs?: number;
  /** Takes the call back after that time, as a client does whose person pressed Escape. */
  readonly cancelAfterMs?: number;
}

interface ChatOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
  /** Before 2026 it is agreed on once, from then on each request says it. */
  readonly revision?: string;
  readonly client?: string;
  /** How the person answers each form; absent: the client shows none. */
  readonly form?: 'approve' | 'decline' | 'cancel';
}

const meta = 'io.modelcontextprotocol/';

export async function openRawChat(options: ChatOptions): Promise<RawChat> {
  const { revision = '2025-11-25', client = 'raw', form } = options;
  const capabilities = form === undefined ? {} : { elicitation: { form: {} } };
  const info = { name: client, version: '1' };
  const isStateless = revision >= '2026';
  const envelope = {
    [`${meta}protocolVersion`]: revision,
    [`${meta}clientInfo`]: info,
    [`${meta}clientCapabilities`]: capabilities,
  };
  const chat = startServer(options, isStateless ? { _meta: envelope } : {});
  if (!isStateless) {
    await chat.ask('initialize', { protocolVersion: revision, capabilities, clientInfo: info });
    chat.notify('notifications/initialized');
  }
  return chat;
}

function startServer({ cwd, env, args = [], form }: ChatOptions, always: JsonRecord): RawChat {
  const PATH = [programFolder, env.PATH ?? '/usr/bin:/bin'].join(delimiter);
  const child = spawn('git', ['flame', 'mcp', ...args], { cwd, env: { ...env, PATH }, detached: true });
  const answers = new Map<number, JsonRecord>();
  const waiters = new Map<number, (answer: JsonRecord) => void>();
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  child.stdin.on('error', () => undefined);
  const over = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  const write = (text: string): void => void child.stdin.write(text);
  const print = (message: JsonRecord): void => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  createInterface(child.stdout).on('line', (line) => {
    const message = parseJsonRecord(line);
    if (message.method === 'elicitation/create') return print({ id: message.id, result: answerTo(form) });
    if (typeof message.id !== 'number' || message.method !== undefined) return;
    answers.set(message.id, message);
    waiters.get(message.id)?.(message);
  });
  let last = 0;
  const send = (method: string, params: JsonRecord = {}): number => {
    last += 1;
    print({ id: last, method, params: { ...always, ...params } });
    return last;
  };
  const notify = (method: string, params: JsonRecord = {}): void => print({ method, params });
  const ask = async (method: string, params: JsonRecord = {}, options: AskOptions = {}): Promise<JsonRecord> => {
    const { timeoutMs = 120_000, cancelAfterMs } = options;
    const id = send(method, params);
    const timers: NodeJS.Timeout[] = [];
    const answer = new Promise<JsonRecord>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${method}: ${why}`));
      waiters.set(id, resolve);
      void over.then(() => fail('the server is gone'));
      timers.push(setTimeout(fail, timeoutMs, `no answer in ${timeoutMs} ms`));
      if (cancelAfterMs === undefined) return;
      const takeBack = (): void => {
        notify('notifications/cancelled', { requestId: id, reason: 'taken back' });
        fail('taken back');
      };
      timers.push(setTimeout(takeBack, cancelAfterMs));
    });
    const said = await answer.finally(() => timers.forEach(clearTimeout));
    const asked = inputAsked(said);
    return asked === null ? said : ask(method, { ...params, ...asked(form) }, options);
  };
  return {
    pid: child.pid ?? 0,
    ...{ ask, send, notify, write },
    heard: (request) => answers.has(request),
    stderr: () => told,
    end: async (how = 'close') => {
      // git and what it started.
      if (how === 'kill' && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      else child.stdin.end();
      return over;
    },
  };
}

/** Where an answer asks the person first: what the call says when it comes again. */
function inputAsked({ result }: JsonRecord): ((form: ChatOptions['form']) => JsonRecord) | null {
  if (!isJsonRecord(result) || result.resultType !== 'input_required' || !isJsonRecord(result.inputRequests))
    return null;
  const keys = Object.keys(result.inputRequests);
  const { requestState } = result;
  return (form) => ({
    inputResponses: Object.fromEntries(keys.map((key) => [key, answerTo(form)])),
    ...(requestState === undefined ? {} : { requestState }),
  });
}

function answerTo(form: ChatOptions['form']): JsonRecord {
  return form === 'approve' ? { action: 'accept', content: { decision: 'approve' } } : { action: form ?? 'cancel' };
}
