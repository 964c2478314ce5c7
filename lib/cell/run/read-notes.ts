import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { notesFile } from '../../domain/ports/adapter.ts';

/** More than all notes that are kept of one worker. */
const mostBytes = 64 * 1_024;

/** What an agent left in its file for notes. Only a plain file is read, and no more of it than its beginning. */
export function readNotes(tmp: string): { readonly notes: string; readonly warnings: readonly string[] } {
  let file: number;
  try {
    // A link may lead anywhere, and a pipe would be waited for.
    file = openSync(join(tmp, notesFile), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return { notes: '', warnings: [] };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return { notes: '', warnings: [] };
    const bytes = Buffer.alloc(Math.min(stat.size, mostBytes));
    const length = readSync(file, bytes, 0, bytes.length, 0);
    const isCut = stat.size > mostBytes;
    return {
      notes: bytes.toString('utf8', 0, length),
      warnings: isCut
        ? [`its file for notes has ${stat.size} bytes: only the first ${mostBytes} are read`]
        : [],
    };
  } finally {
    closeSync(file);
  }
}
