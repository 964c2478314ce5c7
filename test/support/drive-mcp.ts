import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isJsonRecord, type JsonRecord } from '../../lib/util/json.ts';
import { type Answers, fillIn, parseSaid, readStep, readSteps, type Step, valueAt } from './drive-steps.ts';
import { makeExecProject } from './exec-project.ts';
import { programFolder } from './program.ts';
import { openRawChat, type RawChat } from './raw-chat.ts';
import { openRepo } from './repo.ts';
import { trusted } from './trusted.ts';

// Leads the real `git flame mcp` by a list of calls, as the client of a chat, and prints what each answers:
//   node build/test/support/drive-mcp.js REPOSITORY CALLS.json          (- for the list on standard input)
//   node build/test/support/drive-mcp.js --sample FOLDER CALLS.json     makes a repository whose workers are scripts
// CALLS.json is an array; drive-steps.ts says what a step may be:
//   [{"tool": "create_tasks", "input": {"objective": "A file", "tasks": [{"id": "one", "title": "Do one",
//      "description": "echo one > src/one.txt", "file_locks": ["src/one.txt"]}]}},
//    {"run": "printf 'plan: [approve]\n' > .git/d.yml; git flame plan --decisions-file .git/d.yml"},
//    {"tool": "assign_task"}, {"wait": "\"verdict\":\"pass\""},
//    {"tool": "get_task_output", "input": {"task_id": "one", "part": "diff"}}]
// One line of JSON a step: {step, did, ms, is_error, answer}; of a command {code, stdout, stderr}; what a client was given
// beside the text is in `more`. Ends with 0 once all steps are over, whatever they answered.
// --revision 2026-07-28|2025-11-25|…  --client NAME  --form approve|decline|cancel  --raw (each answer as it came)

const usage = 'node build/test/support/drive-mcp.js (REPOSITORY | --sample FOLDER) CALLS.json';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ sample: { type: 'string' }, revision: { type: 'string' }, client: { type: 'string' } },
    ...{ form: { type: 'string' }, raw: { type: 'boolean', default: false } },
    /** By itself alone: this process is one chat of another one. */
    chat: { type: 'boolean', default: false },
  },
});

async function drive(): Promise<number> {
  const [first = '', second] = positionals;
  const [folder, list] = values.sample === undefined ? [first, second] : [values.sample, first];
  if (list === undefined || list === '') {
    process.stderr.write(`${usage}\n`);
    return 1;
  }
  const steps = readSteps(readFileSync(list === '-' ? 0 : list, 'utf8'));
  const place = values.sample === undefined ? openPlace(folder) : makeSample(folder);
  const driver = new Driver(place);
  for (const [index, step] of steps.entries()) await driver.do(step, `${index + 1}`);
  await driver.close();
  return 0;
}

interface Place {
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the shell of a chat's model carries, a person's has not. */
const marks = ['CLAUDECODE', 'CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE'];

function openPlace(folder: string): Place {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !marks.includes(name)));
  return { path: resolve(folder), env };
}

/** A repository, and where its person's decisions are kept; what is to be set to look at it afterwards is printed. */
function makeSample(folder: string): Place {
  const [path, state] = [resolve(folder, 'repo'), resolve(folder, 'state')];
  if (existsSync(path)) throw new Error(`${path} is there already.`);
  const made = makeExecProject();
  mkdirSync(state, { recursive: true });
  cpSync(made.path, path, { recursive: true });
  const env = { ...made.env, XDG_STATE_HOME: state };
  trusted(openRepo(path, env));
  print({ sample: path, env: { XDG_STATE_HOME: state } });
  return { path, env };
}

function print(line: JsonRecord): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

class Driver {
  readonly #place: Place;
  readonly #answers = new Map<string, unknown>();
  readonly #chats = new Map<string, ChatProcess>();

  constructor(place: Place) {
    this.#place = place;
  }

  async do(step: Step, name: string): Promise<void> {
    if ('at_once' in step) {
      const parts = step.at_once.map((one, index) => readStep(one, `${name}.${index + 1}`));
      await Promise.all(parts.map((one, index) => this.do(one, `${name}.${index + 1}`)));
      return;
    }
    const begun = Date.now();
    const { did, ...told } = await this.#tell(step).catch((error: unknown) => ({
      did: JSON.stringify(step).slice(0, 200),
      failed: error instanceof Error ? error.message : String(error),
    }));
    if ('answer' in told) this.#answers.set(name, told.answer);
    print({ step: name, did, ms: Date.now() - begun, ...told });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#chats.values()].map((chat) => chat.end('close')));
  }

  async #tell(step: Exclude<Step, { at_once: unknown }>): Promise<JsonRecord & { readonly did: string }> {
    if ('run' in step) return runCommand(this.#place, String(fillIn(step.run, this.#answers)));
    if ('end' in step) {
      const chat = this.#chats.get(step.chat);
      // At once: what begins together with it, and is listed after it, is another chat's.
      this.#chats.delete(step.chat);
      const code = await chat?.end(step.end);
      return { did: `${step.end} ${step.chat}`, code };
    }
    const chat = this.#chat(step.chat);
    if ('raw' in step) return { did: 'raw', answer: await chat.ask({ raw: step.raw }) };
    if ('method' in step) {
      const params = fillIn(step.params, this.#answers);
      return { did: step.method, answer: await chat.ask({ method: step.method, params }) };
    }
    return 'wait' in step ? untilSaid(chat, step) : callTool(chat, step, this.#answers);
  }

  #chat(name: string): ChatProcess {
    const known = this.#chats.get(name);
    if (known !== undefined) return known;
    const chat = new ChatProcess(this.#place);
    this.#chats.set(name, chat);
    return chat;
  }
}

async function callTool(chat: ChatProcess, step: Extract<Step, { tool: string }>, answers: Answers) {
  const { tool, input, timeout_ms: timeoutMs, cancel_after_ms: cancelAfterMs, times } = step;
  const params = { name: tool, arguments: fillIn(input, answers) };
  const options = {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(cancelAfterMs === undefined ? {} : { cancelAfterMs }),
  };
  let said: JsonRecord = {};
  for (let time = 0; time < times; time += 1) said = await chat.ask({ method: 'tools/call', params, options });
  return { did: tool, ...toLine(said) };
}

async function untilSaid(chat: ChatProcess, { wait, most }: Extract<Step, { wait: string }>) {
  const wanted = new RegExp(wait);
  let said: JsonRecord = {};
  for (let time = 1; time <= most; time += 1) {
    const cursor = valueAt(toLine(said), 'answer.cursor');
    const input = { timeout_s: 30, ...(typeof cursor === 'string' ? { cursor } : {}) };
    said = await chat.ask({ method: 'tools/call', params: { name: 'wait_for_workers', arguments: input } });
    if (wanted.test(textOf(said))) return { did: 'wait', waits: time, ...toLine(said) };
  }
  return { did: 'wait', waits: most, failed: `no answer matched ${wait}`, ...toLine(said) };
}

function textOf({ result }: JsonRecord): string {
  const text = valueAt(result, 'content.0.text');
  return typeof text === 'string' ? text : '';
}

function toLine(said: JsonRecord): JsonRecord {
  if (values.raw) return { answer: said };
  const { result, error } = said;
  if (!isJsonRecord(result)) return { is_error: true, answer: error };
  const { content: _, isError, ...more } = result;
  return {
    is_error: isError === true,
    answer: parseSaid(textOf(said)),
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
}

function runCommand({ path, env }: Place, command: string): JsonRecord & { readonly did: string } {
  const PATH = [programFolder, env.PATH ?? '/usr/bin:/bin'].join(delimiter);
  const run = spawnSync('sh', ['-c', command], {
    cwd: path,
    env: { ...env, PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
  });
  return { did: command, code: run.status, stdout: run.stdout, stderr: run.stderr };
}

interface Order {
  readonly raw?: string;
  readonly method?: string;
  readonly params?: unknown;
  readonly options?: { readonly timeoutMs?: number; readonly cancelAfterMs?: number };
}

/** A chat in a process of its own: what the person types would else be the command of its client. */
class ChatProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: JsonRecord) => void>();
  readonly #calls = new Set<Promise<JsonRecord>>();
  #asked = 0;
  #isGone = false;

  constructor({ path, env }: Place) {
    const flags = (['revision', 'client', 'form'] as const).flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [`--${name}`, value];
    });
    this.#child = fork(fileURLToPath(import.meta.url), ['--chat', path, ...flags], { env });
    this.#child.on('message', (message: unknown) => {
      if (!isJsonRecord(message) || typeof message.id !== 'number') return;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
    this.#child.on('close', () => {
      this.#isGone = true;
      for (const answer of this.#waiting.values()) answer({ failed: 'the chat is gone' });
    });
  }

  async ask(order: Order): Promise<JsonRecord> {
    const { failed, answer } = await this.#say({ ...order });
    if (typeof failed === 'string') throw new Error(failed);
    return isJsonRecord(answer) ? answer : {};
  }

  async end(how: 'close' | 'kill'): Promise<unknown> {
    if (this.#isGone) return null;
    const { answer } = await this.#say({ end: how });
    // Calls under way are told that their server is gone.
    await Promise.all(this.#calls);
    if (this.#child.connected) this.#child.disconnect();
    return answer;
  }

  #say(order: JsonRecord): Promise<JsonRecord> {
    if (this.#isGone) return Promise.resolve({ failed: 'the chat is gone' });
    this.#asked += 1;
    const id = this.#asked;
    const told = new Promise<JsonRecord>((done) => {
      this.#waiting.set(id, done);
      this.#child.send({ id, ...order });
    });
    this.#calls.add(told);
    return told.finally(() => this.#calls.delete(told));
  }
}

/** The other side of a ChatProcess. */
function hostChat(): void {
  const [cwd = '.'] = positionals;
  const { revision, client, form } = values;
  const opened = openRawChat({
    ...{ cwd, env: process.env },
    ...(revision === undefined ? {} : { revision }),
    ...(client === undefined ? {} : { client }),
    ...(form === 'approve' || form === 'decline' || form === 'cancel' ? { form } : {}),
  });
  opened.catch(() => undefined);
  process.on('message', (order: unknown) => {
    if (!isJsonRecord(order)) return;
    const { id } = order;
    opened
      .then((chat) => follow(chat, order))
      .then(
        (answer) => process.send?.({ id, answer }),
        (error: unknown) => process.send?.({ id, failed: error instanceof Error ? error.message : String(error) }),
      );
  });
  process.on('disconnect', () => process.exit());
}

async function follow(chat: RawChat, { raw, method, params, options, end }: JsonRecord): Promise<unknown> {
  if (end === 'close' || end === 'kill') return chat.end(end);
  if (typeof raw === 'string') {
    chat.write(raw);
    return { written: Buffer.byteLength(raw) };
  }
  return chat.ask(String(method), isJsonRecord(params) ? params : {}, isJsonRecord(options) ? options : {});
}

if (values.chat) hostChat();
else
  process.exitCode = await drive().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  });
