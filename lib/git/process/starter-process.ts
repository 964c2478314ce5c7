import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { GitLimits } from '../../domain/config/checked-work-limits.ts';
import { holdProcessWhileChildRuns, requirePipes } from '../../util/child-programs.ts';
import { packageRoot } from '../../util/user-folders.ts';

/** A program with all it is started with. */
export interface ProgramToStart {
  /** The first is a path; a name alone would be looked up where the program is to run. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** For its stdin; undefined: it has none. */
  readonly input: string | Uint8Array | undefined;
  /** With them it is held: it ends with this process, however that ends. */
  readonly limits?: Pick<GitLimits, 'cpuSeconds' | 'memoryMb'> | undefined;
}

/** Sends a signal to a program and all it started; nothing once it has ended. */
export type SendProgramSignal = (name: NodeJS.Signals) => void;

export interface ProgramResult {
  /** Null where a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it; null where none did, or it is unknown. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

interface Run {
  readonly out: Buffer[];
  readonly err: Buffer[];
  readonly resolve: (end: ProgramResult) => void;
  readonly reject: (error: Error) => void;
}

let opened: Promise<Starter | null> | undefined;

/**
 * Runs a program to its end by a small process that starts all of them: to fork one as large as this takes longer than
 * git does. Resolves to null where there is no such process here; rejects where the program can't be started.
 * `onStart` is called once it was asked for, with what ends it.
 */
export async function runProgramByStarter(
  program: ProgramToStart,
  onStart?: (signal: SendProgramSignal) => void,
): Promise<ProgramResult | null> {
  if (!isAbsolute(program.argv[0] ?? '')) return null;
  opened ??= tryToOpen();
  const asked = opened;
  let starter = await asked;
  if (starter?.isGone) {
    // The first caller that finds it gone opens the next one.
    if (opened === asked) opened = tryToOpen();
    starter = (await opened) ?? null;
  }
  return starter === null ? null : starter.run(program, onStart);
}

/** Opens a starter; null where that fails now (no descriptor is left), which it may not the next time. */
function tryToOpen(): Promise<Starter | null> {
  return openStarter().catch(() => {
    opened = undefined;
    return null;
  });
}

async function openStarter(): Promise<Starter | null> {
  const path = join(packageRoot(), 'dist', 'git-starter');
  if (!existsSync(path)) return null;
  // Away from all folders, and from the terminal and its signals.
  const child = spawn(path, [], { cwd: '/', env: {}, stdio: 'pipe', detached: true });
  requirePipes(child);
  for (const end of [child.stdin, child.stdout, child.stderr]) end.on('error', () => undefined);
  child.stderr.resume();
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', () => resolve(null));
    child.stdout.once('data', (ready: Buffer) => resolve(ready.toString() === 'ready\n' ? new Starter(child) : null));
  });
}

/** See starter.c for what is said between the two. */
class Starter {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #runs = new Map<number, Run>();
  #last = 0;
  #received: Buffer = Buffer.alloc(0);
  isGone = false;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.once('close', () => this.#end());
    // It keeps this process from ending only while something runs.
    holdProcessWhileChildRuns(child, false);
  }

  run(
    { argv, cwd, env, input, limits }: ProgramToStart,
    onStart?: (signal: SendProgramSignal) => void,
  ): Promise<ProgramResult> {
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const texts = Buffer.from([cwd, ...argv, ...variables].map((text) => `${text}\0`).join(''));
    const given = input === undefined ? null : Buffer.from(input);
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      if ([cwd, ...argv, ...variables].some((text) => text.includes('\0'))) {
        reject(new Error('An argument of a program contains NUL.'));
        return;
      }
      this.#runs.set(id, { out: [], err: [], resolve, reject });
      holdProcessWhileChildRuns(this.#child, true);
      const counts = [argv.length, variables.length, given?.length ?? -1, texts.length];
      const bounds = limits === undefined ? [-1, -1] : [limits.cpuSeconds, limits.memoryMb * 1024 * 1024];
      const head = `${[id, ...counts, ...bounds].join(' ')}\n`;
      this.#child.stdin.write(Buffer.concat([Buffer.from(head), texts, given ?? Buffer.alloc(0)]));
      onStart?.((name) => this.#signal(id, name));
    });
  }

  /** By its number here: who got its process id since is not meant. */
  #signal(id: number, name: NodeJS.Signals): void {
    if (this.#runs.has(id)) this.#child.stdin.write(`${id} k ${constants.signals[name]}\n`);
  }

  #receive(chunk: Buffer): void {
    let rest = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    for (let used = this.#take(rest); used > 0; used = this.#take(rest)) rest = rest.subarray(used);
    this.#received = rest;
  }

  /** Takes in what is said first; returns how many bytes that took, 0 where more must come. */
  #take(bytes: Buffer): number {
    const end = bytes.indexOf(10);
    if (end < 0) return 0;
    const [name, kind, number] = bytes.toString('latin1', 0, end).split(' ');
    const [id, value] = [Number(name), Number(number)];
    const run = this.#runs.get(id);
    if (kind === 'o' || kind === 'e') {
      const next = end + 1 + value;
      if (bytes.length < next) return 0;
      run?.[kind === 'o' ? 'out' : 'err'].push(bytes.subarray(end + 1, next));
      return next;
    }
    this.#runs.delete(id);
    if (this.#runs.size === 0) holdProcessWhileChildRuns(this.#child, false);
    if (kind === 'f') run?.reject(new Error(`The system refused to start it: error ${value}.`));
    else if (run !== undefined)
      settle(run, kind === 'x' ? { code: value, signal: null } : { code: null, signal: nameOf(value) });
    return end + 1;
  }

  /** Ends all runs as if by a signal: whether and how they ended is unknown. */
  #end(): void {
    this.isGone = true;
    for (const run of this.#runs.values()) settle(run, { code: null, signal: null });
    this.#runs.clear();
  }
}

function settle({ out, err, resolve }: Run, how: Pick<ProgramResult, 'code' | 'signal'>): void {
  resolve({ ...how, stdout: Buffer.concat(out), stderr: Buffer.concat(err) });
}

function nameOf(signal: number): NodeJS.Signals | null {
  const names = Object.keys(constants.signals) as NodeJS.Signals[];
  return names.find((name) => constants.signals[name] === signal) ?? null;
}
