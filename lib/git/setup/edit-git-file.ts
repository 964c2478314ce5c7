import { createHash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { readIfThere } from '../../util/read-file.ts';
import { realPathOrSame } from '../../util/real-and-private-paths.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { FileEdit } from './setup-record.ts';

interface EditRequest extends Pick<FileEdit, 'file' | 'lines' | 'settings'> {
  /** Changes a copy of the file. */
  change(copy: string): Promise<void> | void;
  /** Called with the whole edit before it takes effect. */
  save(edit: FileEdit): void;
}

/**
 * Changes a file of the common git directory in one step, and knows how to take it back. Keeps others out as git
 * does: with `<file>.lock`, which becomes the file. Throws FlameError `file-locked`.
 */
export async function editGitFileUndoably(commonDir: string, request: EditRequest): Promise<void> {
  const { file, lines, settings } = request;
  await replace(realPathOrSame(join(commonDir, file)), request.change, (before, after) => {
    const { start, removed, added } = findDifference(before ?? noBytes, after);
    request.save({
      file,
      existed: before !== null,
      start,
      removed: removed.toString('base64'),
      added,
      after: sha256(after),
      lines,
      settings,
    });
  });
}

/** Takes an edit back byte for byte; false where the file isn't as the edit left it, and nothing was done. */
export async function undoFileEdit(commonDir: string, edit: FileEdit): Promise<boolean> {
  const path = realPathOrSame(join(commonDir, edit.file));
  const current = readIfThere(path);
  if (current === null || sha256(current) !== edit.after) return false;
  if (!edit.existed) {
    rmSync(path);
    return true;
  }
  const removed = Buffer.from(edit.removed, 'base64');
  const former = [current.subarray(0, edit.start), removed, current.subarray(edit.start + edit.added)];
  await replace(path, (copy) => writeFileSync(copy, Buffer.concat(former)));
  return true;
}

/** Takes given lines out of a file, each once, and leaves the rest as it is. Returns those that were there. */
export async function removeLinesOfEdit(
  commonDir: string,
  { file, lines }: Pick<FileEdit, 'file' | 'lines'>,
): Promise<readonly string[]> {
  const path = realPathOrSame(join(commonDir, file));
  const text = readIfThere(path)?.toString('latin1') ?? '';
  const kept = text.split('\n');
  const found = lines.filter((line) => {
    const at = kept.indexOf(Buffer.from(line).toString('latin1'));
    if (at >= 0) kept.splice(at, 1);
    return at >= 0;
  });
  if (found.length > 0) await replace(path, (copy) => writeFileSync(copy, kept.join('\n'), 'latin1'));
  return found;
}

/** Whether a kill left copies beside the files. */
export function hasCopiesOfKilledEdit(commonDir: string): boolean {
  return editedFiles(commonDir).some((path) => statSync(`${path}.flame-new`, silent) !== undefined);
}

/** Removes what a kill left beside the files; the caller must hold the setup lock. */
export function removeCopiesOfKilledEdit(commonDir: string): void {
  for (const path of editedFiles(commonDir)) {
    removeLeftLock(path);
    rmSync(`${path}.flame-new`, { force: true });
  }
}

function editedFiles(commonDir: string): readonly string[] {
  return ['config', 'info/exclude'].map((file) => realPathOrSame(join(commonDir, file)));
}

/** One file with two names: a process was killed just before the lock became the file. */
function removeLeftLock(path: string): void {
  const copy = statSync(`${path}.flame-new`, silent);
  if (copy !== undefined && statSync(`${path}.lock`, silent)?.ino === copy.ino) rmSync(`${path}.lock`);
}

const noBytes = Buffer.alloc(0);
const maxAttempts = 10;
const silent = { throwIfNoEntry: false } as const;

/** Has `change` work on a copy; should the file be another one by then, on a new copy. */
async function replace(
  path: string,
  change: EditRequest['change'],
  beforeRename: (before: Buffer | null, after: Buffer) => void = () => undefined,
): Promise<void> {
  const copy = `${path}.flame-new`;
  mkdirSync(dirname(path), { recursive: true });
  removeLeftLock(path);
  try {
    for (let tries = 0; tries < maxAttempts; tries += 1) {
      const before = readIfThere(path);
      writeFileSync(copy, before ?? noBytes);
      if (before !== null) chmodSync(copy, statSync(path).mode & 0o777);
      await change(copy);
      if (putInPlace(path, copy, before, beforeRename)) return;
    }
    throw locked(path);
  } finally {
    rmSync(copy, { force: true });
  }
}

/** Locked for as short as can be: a process that is killed leaves a lock behind, which git would stumble over. */
function putInPlace(
  path: string,
  copy: string,
  before: Buffer | null,
  beforeRename: (before: Buffer | null, after: Buffer) => void,
): boolean {
  const lock = `${path}.lock`;
  try {
    linkSync(copy, lock);
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'EEXIST' ? locked(path, error) : error;
  }
  try {
    const now = readIfThere(path);
    const isSame = now === null ? before === null : before?.equals(now) === true;
    if (isSame) beforeRename(before, readFileSync(copy));
    if (isSame) renameSync(lock, path);
    else rmSync(lock);
    return isSame;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  }
}

function locked(path: string, cause?: unknown): FlameError {
  const lock = `${path}.lock`;
  return new FlameError({
    kind: 'environment',
    code: 'file-locked',
    message: `${lock} exists: another git is changing the file, or one was killed while it did.`,
    hints: [`When no git runs: rm ${shellQuote(lock)}`],
    cause,
  });
}

function findDifference(
  before: Buffer,
  after: Buffer,
): { readonly start: number; readonly removed: Buffer; readonly added: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { start, removed: before.subarray(start, before.length - end), added: after.length - end - start };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
