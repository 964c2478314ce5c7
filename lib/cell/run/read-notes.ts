import { join } from 'node:path';
import { notesFile } from '../../domain/ports/adapter.ts';
import { readPlain } from '../../util/read-file.ts';

/** More than all notes that are kept of one worker. */
const mostBytes = 64 * 1_024;

/** Reads an agent's file for notes. Only a plain file is read, and no more of it than its beginning. */
export function readNotes(tmp: string): { readonly notes: string; readonly warnings: readonly string[] } {
  const found = readPlain(join(tmp, notesFile), { most: mostBytes });
  if (found === null) return { notes: '', warnings: [] };
  const { text, size } = found;
  const warnings =
    size > mostBytes ? [`its file for notes has ${size} bytes: only the first ${mostBytes} are read`] : [];
  return { notes: text, warnings };
}
