import { createHash } from 'node:crypto';
import { chmodSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { readIfThere } from '../../util/read-file.ts';
import { realPathOrSame } from '../../util/real-and-private-paths.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { replaceFile } from '../../util/write-files.ts';
import { type FileEdit, readSetupRecord, writeSetupRecord } from './setup-record.ts';

/**
 * Has `change` edit a file of the common git directory, and records how to take that back: before the edit by its
 * meaning, after it by the bytes. The caller must hold the setup lock. Throws FlameError `file-locked`.
 */
export async function editGitFileUndoably(
  commonDir: string,
  { file, lines, settings }: Pick<FileEdit, 'file' | 'lines' | 'settings'>,
  change: (path: string) => unknown,
): Promise<void> {
  const path = join(commonDir, file);
  requireUnlocked(realPathOrSame(path));
  const record = readSetupRecord(commonDir);
  const save = (edit: FileEdit): void => writeSetupRecord(commonDir, { ...record, edits: [...record.edits, edit] });
  const edit = { file, before: readIfThere(path)?.toString('base64') ?? null, after: '', lines, settings };
  save(edit);
  await change(path);
  save({ ...edit, after: sha256(readIfThere(path)) });
}

/**
 * Takes an edit back byte for byte; false where the file isn't as the edit left it, and nothing was done. Throws
 * FlameError `file-locked`.
 */
export function undoFileEdit(commonDir: string, { file, before, after }: FileEdit): boolean {
  const path = realPathOrSame(join(commonDir, file));
  const current = readIfThere(path);
  if (current === null || sha256(current) !== after) return false;
  requireUnlocked(path);
  if (before === null) rmSync(path);
  else replace(path, Buffer.from(before, 'base64'));
  return true;
}

/** Takes given lines out of a file, each once, and leaves the rest as it is. Returns those that were there. */
export function removeLinesOfEdit(
  commonDir: string,
  { file, lines }: Pick<FileEdit, 'file' | 'lines'>,
): readonly string[] {
  const path = realPathOrSame(join(commonDir, file));
  const kept = (readIfThere(path)?.toString('latin1') ?? '').split('\n');
  const found = lines.filter((line) => {
    const at = kept.indexOf(Buffer.from(line).toString('latin1'));
    if (at >= 0) kept.splice(at, 1);
    return at >= 0;
  });
  if (found.length > 0) replace(path, Buffer.from(kept.join('\n'), 'latin1'));
  return found;
}

function requireUnlocked(path: string): void {
  const lock = `${path}.lock`;
  if (!existsSync(lock)) return;
  throw new FlameError({
    kind: 'environment',
    code: 'file-locked',
    message: `${lock} exists: another git is changing the file, or one was killed while it did.`,
    hints: [`When no git runs: rm ${shellQuote(lock)}`],
  });
}

function replace(path: string, content: Buffer): void {
  const mode = statSync(path).mode & 0o777;
  replaceFile(path, content, mode);
  // Not at writing: the person's umask may say otherwise.
  chmodSync(path, mode);
}

function sha256(bytes: Buffer | null): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}
