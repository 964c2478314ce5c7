import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { killPoint } from './kill-point.ts';
import { ownIdentity, type ProcessIdentity, parseIdentity, processState } from './process-identity.ts';
import { readTextOrEmpty } from './read-file.ts';
import { tryQuietly } from './remove-tree.ts';

interface OwnedLockOptions {
  /** A holder of whom nothing is known is taken for dead after this long, in milliseconds. */
  readonly staleMs: number;
  readonly retries?: {
    readonly retries: number;
    readonly factor: number;
    readonly minTimeout: number;
    readonly maxTimeout: number;
  };
}

/**
 * Takes a lock of proper-lockfile, the folder `path`; resolves to what gives it back. A file beside it names the
 * holder, so that the lock of a process that is gone is taken over at once, not after the stale time: on this machine
 * a dead holder never makes another process wait. Rejects with ELOCKED, at once with EROFS or EACCES where the folder
 * can't be written.
 */
export async function takeLock(path: string, options: OwnedLockOptions): Promise<() => Promise<void>> {
  // Loaded when first needed: most commands lock nothing.
  const { lock } = await import('proper-lockfile');
  mkdirSync(dirname(path), { recursive: true });
  // Where nothing can be written, to retry for the whole time would only report it later.
  accessSync(dirname(path), constants.W_OK);
  takeOverDead(path);
  const release = await lock(path, {
    lockfilePath: path,
    realpath: false,
    stale: options.staleMs,
    // Work under the lock is safe without it too; the default would end the process.
    onCompromised: () => undefined,
    ...(options.retries === undefined ? {} : { retries: options.retries }),
  });
  const own = `${JSON.stringify(ownIdentity())}\n${randomBytes(8).toString('hex')}\n`;
  tryQuietly(() => writeFileSync(ownerOf(path), own));
  killPoint(`lock ${basename(path)} taken`);
  return async () => {
    // Another process has it where this one was stopped for longer than the stale time.
    if (readTextOrEmpty(ownerOf(path)) === own) rmSync(ownerOf(path), { force: true });
    await release().catch(() => undefined);
    killPoint(`lock ${basename(path)} given back`);
  };
}

/** Takes the lock as takeLock does, and holds it while `work` runs. */
export async function withLock<T>(path: string, options: OwnedLockOptions, work: () => T | Promise<T>): Promise<T> {
  const release = await takeLock(path, options);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** The process that has a lock; null where none is named. */
export function lockHolder(path: string): ProcessIdentity | null {
  return holderIn(readTextOrEmpty(ownerOf(path)));
}

/** Removes the locks in a folder whose holders are gone. */
export function removeDeadOwnedLocks(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const locks = names.map((name) => name.replace(/-owner$/, '')).filter((name) => name.endsWith('.lock'));
  for (const name of new Set(locks)) takeOverDead(join(folder, name));
}

function ownerOf(path: string): string {
  return `${path}-owner`;
}

function holderIn(owner: string): ProcessIdentity | null {
  return parseIdentity(owner.split('\n')[0] ?? '');
}

/** Removes the lock of a holder that is gone. Of several processes, one gets to rename the file that names the holder. */
function takeOverDead(path: string): void {
  const named = ownerOf(path);
  const owner = readTextOrEmpty(named);
  const holder = holderIn(owner);
  if (holder === null || processState(holder) !== 'gone') return;
  const aside = `${named}.${process.pid}`;
  if (!tryQuietly(() => renameSync(named, aside))) return;
  // Another process was faster, and has the lock already: its name goes back.
  if (readTextOrEmpty(aside) !== owner) tryQuietly(() => renameSync(aside, named));
  else {
    tryQuietly(() => rmdirSync(path));
    rmSync(aside, { force: true });
  }
}
