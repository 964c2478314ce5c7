import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import type { ObjectId, RefName } from '../../domain/ids.ts';
import { killPoint } from '../../util/kill-point.ts';
import { readProcessStart } from '../../util/process-identity.ts';
import { type GitContext, spawnGit } from '../process/run-git.ts';
import { finishOneKilledRefChange } from './finish-killed-ref-changes.ts';
import type { JournaledRefChange } from './journaled-ref-change.ts';
import { RefChangeJournal } from './ref-change-journal.ts';
import { findReftableLock } from './reftable.ts';

/** `new` undefined: the ref must be at `old` but isn't moved. null means "does not exist". */
export interface RefCommand {
  readonly ref: RefName;
  readonly old: ObjectId | null;
  readonly new?: ObjectId | null;
}

export type RefTransactionResult =
  | { readonly kind: 'done' }
  /** The ref isn't at its old value. */
  | { readonly kind: 'moved'; readonly ref: string }
  /** Someone holds the lock file, or died holding it. */
  | { readonly kind: 'locked'; readonly ref: string; readonly file: string }
  | { readonly kind: 'refused'; readonly message: string }
  /** git ended without an answer, or failed while it moved them: the refs may have moved or not. */
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * Ref transactions through one long-lived `git update-ref --stdin`. Nothing moves unless every ref is at its
 * old value. A refused transaction ends git, the next one starts it again.
 */
export class RefTransactions {
  readonly #context: GitContext;
  readonly #gitDir: string;
  readonly #args: readonly string[];
  readonly #zero: string;
  #child: ChildProcessWithoutNullStreams | null = null;
  readonly #journal: RefChangeJournal;
  #startedAt: string | null = null;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly context: GitContext;
    readonly gitDir: string;
    readonly objectFormat: 'sha1' | 'sha256';
    /** Written to the reflogs. */
    readonly reason: string;
    /** git keeps reflogs of branches only, unless asked for once per ref. */
    readonly createsReflogs?: boolean;
  }) {
    this.#context = { ...options.context, cwd: options.gitDir };
    this.#gitDir = options.gitDir;
    this.#journal = new RefChangeJournal(options.gitDir);
    this.#args = [...(options.createsReflogs === true ? ['--create-reflog'] : []), '-m', options.reason];
    this.#zero = '0'.repeat(options.objectFormat === 'sha1' ? 40 : 64);
  }

  /** Moves all refs or none, in the order given. One transaction at a time. */
  run(commands: readonly RefCommand[]): Promise<RefTransactionResult> {
    const result = this.#busy.then(() => this.#runToEnd(commands));
    this.#busy = result.catch(() => undefined);
    return result;
  }

  /** Ends git; resolves when it's gone. */
  async close(): Promise<void> {
    await this.#busy;
    this.#journal.close();
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    await gone;
  }

  async #runToEnd(commands: readonly RefCommand[]): Promise<RefTransactionResult> {
    const at = Date.now();
    const outcome = await this.#run(commands);
    if (outcome.kind === 'unknown') await this.#finish(commands, at);
    this.#journal.end();
    return outcome;
  }

  /** A git that was killed left locks. Killed, or on a full disk, it may have moved some of the refs. */
  async #finish(commands: readonly RefCommand[], at: number): Promise<void> {
    const place = { context: this.#context, commonDir: this.#gitDir };
    try {
      await finishOneKilledRefChange(place, motionOf(this.#gitDir, commands), at);
    } catch (error) {
      this.#journal.leave();
      throw error;
    }
  }

  async #run(commands: readonly RefCommand[]): Promise<RefTransactionResult> {
    const child = this.#child ?? this.#start();
    this.#journal.begin({
      ...motionOf(this.#gitDir, commands),
      git: { pid: child.pid ?? 0, start: this.#startedAt },
    });
    killPoint(`refs to move: ${describe(commands)}`);
    return new Promise((resolve) => {
      let out = '';
      let err = '';
      const settle = (outcome: RefTransactionResult): void => {
        child.stdout.removeAllListeners('data');
        child.stderr.removeAllListeners('data');
        child.removeListener('close', onClose);
        killPoint(`refs ${outcome.kind}: ${describe(commands)}`);
        resolve(outcome);
      };
      const onClose = (): void => settle(parseUpdateRefRefusal(err, findReftableLock(this.#gitDir)));
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        if (out.includes('commit: ok\n')) settle({ kind: 'done' });
      });
      child.stderr.on('data', (chunk: Buffer) => {
        err += chunk.toString();
      });
      child.once('close', onClose);
      // One write: git gets the whole transaction or, if this process dies in it, aborts.
      child.stdin.write(this.#render(commands));
      killPoint(`refs sent: ${describe(commands)}`);
    });
  }

  #start(): ChildProcessWithoutNullStreams {
    // spawnGit detaches it: Ctrl-C stops the person's command, never git between two refs of one transaction.
    const child = spawnGit(
      this.#context,
      // git would look for refs named like each object id, a dozen places for each.
      ['-c', 'core.warnAmbiguousRefs=false', `--git-dir=${this.#gitDir}`, 'update-ref', ...this.#args, '--stdin'],
    );
    this.#child = child;
    this.#startedAt = child.pid === undefined ? null : readProcessStart(child.pid);
    child.stdin.on('error', () => undefined);
    child.on('error', () => undefined);
    child.once('close', () => {
      if (this.#child === child) this.#child = null;
    });
    return child;
  }

  #render(commands: readonly RefCommand[]): string {
    const lines = commands.map((command) => {
      const old = command.old ?? this.#zero;
      if (command.new === undefined) return `verify ${command.ref} ${old}`;
      if (command.new === null) return `delete ${command.ref} ${old}`;
      return `update ${command.ref} ${command.new} ${old}`;
    });
    return ['start', ...lines, 'prepare', 'commit', ''].join('\n');
  }
}

function motionOf(gitDir: string, commands: readonly RefCommand[]): Pick<JournaledRefChange, 'moves' | 'locks'> {
  return {
    moves: commands.flatMap(({ ref, old, new: to }) => (to === undefined ? [] : [{ ref, old, new: to }])),
    // Refs that are only to be where they are get a lock too.
    locks: commands.filter((command) => command.new === undefined).map(({ ref }) => join(gitDir, `${ref}.lock`)),
  };
}

function describe(commands: readonly RefCommand[]): string {
  const moved = commands.filter((command) => command.new !== undefined);
  return moved.map(({ ref }) => ref.replace(/^refs\/(?:heads\/|blueflame\/)?/, '')).join(' ');
}

/**
 * Reads why `git update-ref` refused; its messages are English by environment. `table`: the lock that all refs share,
 * where they do.
 */
export function parseUpdateRefRefusal(stderr: string, table: string | null = null): RefTransactionResult {
  const [line = ''] = stderr.split('\n').filter((text) => text.startsWith('fatal: '));
  const message = line.replace(/^fatal: (?:prepare: )?/, '');
  // By then some may have moved: a full disk.
  if (message === '' || line.startsWith('fatal: commit: ')) return { kind: 'unknown', message: stderr.trim() };
  if (table !== null && message === 'cannot lock references') return { kind: 'locked', ref: 'Every ref', file: table };
  const ref = message.match(/^cannot lock ref '([^']+)'/)?.[1] ?? '';
  const file = message.match(/Unable to create '(.+\.lock)': File exists/)?.[1];
  if (file !== undefined) return { kind: 'locked', ref, file };
  const isMoved =
    /: is at [0-9a-f]+ but expected [0-9a-f]+$/.test(message) ||
    /: reference already exists$/.test(message) ||
    /: unable to resolve reference '[^']+'$/.test(message) ||
    /: reference is missing but expected [0-9a-f]+$/.test(message);
  return isMoved && ref !== '' ? { kind: 'moved', ref } : { kind: 'refused', message };
}
