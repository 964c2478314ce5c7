import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { holdProcessWhileChildRuns } from '../../util/child-programs.ts';
import { type CatFileCommand, emptyBuffer, type GitObject, parseCatFileResponse } from './cat-file-response.ts';
import { type GitContext, gitMissingError, spawnGit } from './run-git.ts';

interface Request {
  readonly command: CatFileCommand;
  readonly name: string;
  /** How often git ended while this request was the first one waiting. */
  deaths: number;
  /** Its place among those that were asked for at once. */
  readonly at: number;
  readonly asker: Asker;
}

/** Who asked: one for many objects, since thousands of notes are read at once. */
interface Asker {
  resolve(answer: GitObject | null, at: number): void;
  reject(error: unknown, at: number): void;
}

/**
 * One long-lived `git cat-file --batch-command`. Requests of the same moment go to git in one write. Ref names are
 * resolved again each time, and git looks again for packs made meanwhile, so answers are never stale. Keeps the process
 * running only while an answer is awaited; git ends with it.
 */
export class CatFile {
  /** git beside it, in the same repository. */
  readonly context: GitContext;
  readonly #gitDir: string;
  #child: ChildProcessWithoutNullStreams | null = null;
  #pending: Request[] = [];
  /** How many of the pending requests have their answer; a shift for each would cost the square of many. */
  #answered = 0;
  #unsent: Request[] = [];
  #received: Buffer = emptyBuffer;
  #stderr = '';
  #isClosed = false;
  #holder: NodeJS.Timeout | null = null;

  constructor(context: GitContext, gitDir: string) {
    this.context = { ...context, cwd: gitDir };
    this.#gitDir = gitDir;
  }

  /** Reads the object that a ref or object name refers to; null where there's none. `bytes` is empty. */
  info(name: string): Promise<GitObject | null> {
    return this.#request('info', name);
  }

  /** An object with its content; null if it's missing. Rejects with FlameError `object-unreadable` if it's damaged. */
  read(oid: ObjectId): Promise<GitObject | null> {
    return this.#request('contents', oid);
  }

  /**
   * Many objects at once, in their order: what a promise for each costs shows with thousands. Null for one that's
   * missing or damaged.
   */
  readAll(oids: readonly ObjectId[]): Promise<readonly (GitObject | null)[]> {
    if (oids.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const found = new Array<GitObject | null>(oids.length).fill(null);
      let left = oids.length;
      const settle: Asker['resolve'] = (object, at) => {
        found[at] = object;
        left -= 1;
        if (left === 0) resolve(found);
      };
      const asker: Asker = {
        resolve: settle,
        // The object is damaged, and git itself sound.
        reject: (error, at) =>
          error instanceof FlameError && error.code === 'object-unreadable' ? settle(null, at) : reject(error),
      };
      oids.forEach((name, at) => {
        this.#ask({ command: 'contents', name, deaths: 0, at, asker });
      });
    });
  }

  /** Ends git; resolves when it's gone. */
  async close(): Promise<void> {
    this.#send();
    this.#isClosed = true;
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    this.#hold(true);
    child.stdin.end();
    await gone;
    this.#hold(false);
  }

  /**
   * A timer holds this process while an answer is awaited. The handles of the child would do, but one that has
   * ended can't be held any more, and its last words are awaited all the same.
   */
  #hold(isHeld: boolean): void {
    if (isHeld) this.#holder ??= setInterval(() => undefined, 60_000);
    else if (this.#holder !== null) {
      clearInterval(this.#holder);
      this.#holder = null;
    }
  }

  #request(command: Request['command'], name: string): Promise<GitObject | null> {
    const asked = { command, name, deaths: 0, at: 0 };
    return new Promise((resolve, reject) => this.#ask({ ...asked, asker: { resolve, reject } }));
  }

  #ask(request: Request): void {
    if (this.#isClosed) {
      request.asker.reject(new Error('cat-file is closed'), request.at);
      return;
    }
    // While git is still at work on others, what all that it says now asks for goes in one write.
    const isBusy = this.#answered < this.#pending.length;
    if (this.#unsent.length === 0) (isBusy ? setImmediate : queueMicrotask)(() => this.#send());
    this.#unsent.push(request);
  }

  #send(): void {
    const batch = this.#unsent;
    this.#unsent = [];
    if (batch.length === 0) return;
    const child = this.#started(batch);
    if (child === null) return;
    this.#pending = [...this.#pending.slice(this.#answered), ...batch];
    this.#answered = 0;
    this.#hold(true);
    child.stdin.write(`${batch.map(({ command, name }) => `${command} ${name}`).join('\n')}\nflush\n`);
  }

  /** Returns the running git, started if need be; null: it can't be started, and the requests are rejected. */
  #started(asked: readonly Request[]): ChildProcessWithoutNullStreams | null {
    try {
      return this.#child ?? this.#start();
    } catch (error) {
      for (const { asker, at } of asked) asker.reject(error, at);
      return null;
    }
  }

  #start(): ChildProcessWithoutNullStreams {
    // Replaced objects (git replace) would answer with other bytes than the id says.
    const child = spawnGit(this.context, [`--git-dir=${this.#gitDir}`, 'cat-file', '--batch-command', '--buffer'], {
      GIT_NO_REPLACE_OBJECTS: '1',
    });
    // Whether a request waits for an answer decides that, see #hold.
    holdProcessWhileChildRuns(child, false);
    this.#child = child;
    this.#received = emptyBuffer;
    this.#stderr = '';
    child.stdin.on('error', () => undefined);
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk.toString()}`.slice(-2_000);
    });
    child.once('error', (cause) => this.#died(cause));
    child.once('close', (_, signal) => {
      const isOverLimit = signal !== null && this.context.guard !== undefined;
      this.#died(isOverLimit ? new Error('it took longer than it may') : null);
    });
    return child;
  }

  #receive(chunk: Buffer): void {
    const buffer = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    let at = 0;
    while (this.#answered < this.#pending.length) {
      const next = this.#answerFirst(buffer, at);
      if (next === at) break;
      at = next;
    }
    this.#received = buffer.subarray(at);
    if (this.#answered === this.#pending.length && !this.#isClosed) this.#hold(false);
  }

  /** Answers the first request from the buffer; returns where the next answer begins, `from` if more must come. */
  #answerFirst(buffer: Buffer, from: number): number {
    const request = this.#pending[this.#answered];
    const answer = request === undefined ? null : parseCatFileResponse(buffer, from, request.command);
    if (request === undefined || answer === null) return from;
    this.#answered += 1;
    request.asker.resolve(answer.object, request.at);
    return answer.next;
  }

  /** A damaged object ends git: what waited behind it is asked again of a new process. */
  #died(cause: Error | null): void {
    if (this.#child === null) return;
    this.#child = null;
    const waiting = this.#pending.slice(this.#answered);
    this.#pending = [];
    this.#answered = 0;
    const [first] = waiting;
    if (first !== undefined) first.deaths += 1;
    const isHopeless = cause !== null || this.#isClosed;
    for (const request of waiting) {
      if (isHopeless || request.deaths > 1) request.asker.reject(this.#unreadable(request, cause), request.at);
    }
    const again = waiting.filter((request) => !isHopeless && request.deaths <= 1);
    if (again.length === 0 && !this.#isClosed) this.#hold(this.#unsent.length > 0);
    if (again.length === 0) return;
    this.#unsent = [...again, ...this.#unsent];
    this.#send();
  }

  #unreadable(request: Request, cause: Error | null): FlameError {
    if (cause !== null && 'code' in cause) return gitMissingError(cause, this.context.cwd);
    const lines = (cause?.message ?? this.#stderr).trim().split('\n');
    return new FlameError({
      kind: 'environment',
      code: 'object-unreadable',
      message: `git can't read ${request.name}: ${lines.at(-1) ?? ''}`,
      hints: ['git fsck'],
      details: lines.slice(-5),
    });
  }
}

/** Has `work` read the objects of a repository; a reader that was open before stays open. */
export async function withCatFile<T>(
  place: { readonly context: GitContext; readonly commonDir: string; readonly catFile?: CatFile },
  work: (catFile: CatFile) => Promise<T>,
): Promise<T> {
  const catFile = place.catFile ?? new CatFile(place.context, place.commonDir);
  try {
    return await work(catFile);
  } finally {
    if (catFile !== place.catFile) await catFile.close();
  }
}
