import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  stat,
  utimes,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { killPoint } from './kill-point.ts';
import { ownIdentity, parseIdentity, processStart, processState } from './process-identity.ts';

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
 * Takes a lock between processes, the folder `path`; resolves to what gives it back. Its holder is written in
 * it, so that the lock of a process that is gone is taken over at once, not after the stale time: on this
 * machine a dead holder never makes anybody wait. Rejects with proper-lockfile's ELOCKED,
 * at once with EROFS or EACCES where the folder can't be written.
 */
export async function takeLock(path: string, options: OwnedLockOptions): Promise<() => Promise<void>> {
  // Loaded when first needed: most commands lock nothing.
  const { lock } = await import('./lockfile.ts');
  mkdirSync(dirname(path), { recursive: true });
  // Where nothing can be written, trying again for the whole time would only say so later.
  accessSync(dirname(path), constants.W_OK);
  sweep(path);
  takeOver(path);
  const release = await lock(path, {
    lockfilePath: path,
    realpath: false,
    fs: lockFolders,
    stale: options.staleMs,
    // What is done under the lock is safe without it too; the default would end the process.
    onCompromised: () => undefined,
    ...(options.retries === undefined ? {} : { retries: options.retries }),
  });
  killPoint(`lock ${basename(path)} taken`);
  return async () => {
    await release().catch(() => undefined);
    killPoint(`lock ${basename(path)} given back`);
  };
}

/** Removes the locks in a folder whose holders are gone, and what killed makers and removers of locks left there. */
export function removeDeadLocks(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => one.endsWith('.lock'))) takeOver(join(folder, name));
  for (const name of names) removeSide(folder, name);
}

const ownerName = 'owner';

type Callback = (error: NodeJS.ErrnoException | null) => void;

/** What proper-lockfile makes and removes its folders with: a lock appears with its owner in it, or not at all. */
const lockFolders = {
  stat,
  utimes,
  mkdir: (path: string, callback: Callback): void => callback(attempt(() => makeFolder(path))),
  rmdir: (path: string, callback: Callback): void => callback(attempt(() => removeFolder(path))),
  rmdirSync: removeFolder,
};

function makeFolder(path: string): void {
  const made = sideName(path, 'new');
  try {
    mkdirSync(made);
    writeFileSync(
      join(made, ownerName),
      `${JSON.stringify(ownIdentity())}\n${randomBytes(8).toString('hex')}\n`,
    );
    renameSync(made, path);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    const isThere = error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY';
    throw isThere ? Object.assign(new Error(`${path} is there`), { code: 'EEXIST' }) : error;
  }
}

function removeFolder(path: string): void {
  const gone = sideName(path, 'gone');
  renameSync(path, gone);
  rmSync(gone, { recursive: true, force: true });
}

function sideName(path: string, kind: 'new' | 'gone'): string {
  return `${path}.${process.pid}-${randomBytes(4).toString('hex')}.${kind}`;
}

/** Removes the lock of a holder that is gone. Of several that try only one may: its mark lies in that very lock. */
function takeOver(path: string): void {
  const owner = readOwner(path);
  const identity = parseIdentity(owner.split('\n')[0] ?? '');
  if (identity === null || processState(identity) !== 'gone') return;
  const mark = join(path, 'taken-over');
  if (attempt(() => writeFileSync(mark, '', { flag: 'wx' })) !== null) return;
  if (readOwner(path) === owner) attempt(() => removeFolder(path));
  else rmSync(mark, { force: true });
}

/** Removes what processes left that were killed while they made or removed this lock. */
function sweep(path: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) if (name.startsWith(basename(path))) removeSide(folder, name);
}

function removeSide(folder: string, name: string): void {
  const pid = /\.lock\.(\d+)-[0-9a-f]{8}\.(?:new|gone)$/.exec(name)?.[1];
  if (pid !== undefined && processStart(Number(pid)) === null)
    rmSync(join(folder, name), { recursive: true, force: true });
}

function readOwner(path: string): string {
  try {
    return readFileSync(join(path, ownerName), 'utf8');
  } catch {
    return '';
  }
}

function attempt(action: () => void): NodeJS.ErrnoException | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
