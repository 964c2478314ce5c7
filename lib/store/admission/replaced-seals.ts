import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { Note } from '../notes/note.ts';
import { anchorKey, signatureAnchor, signatureNotes } from '../notes/note-kinds.ts';
import type { StoreOptions } from '../store-options.ts';
import { listNoteSteps } from './note-history.ts';

/** Steps that are looked at, newest first: anyone who may push can make the history longer. */
const mostSteps = 2_000;

/**
 * Finds the signatures of these sessions that some commit of their ref's history removed, from any clone: a clone
 * replaces its own by a newer one, so a removed one that is there again was put back. Rewritten histories and commits
 * beyond the newest are not covered.
 */
export async function replacedSeals(
  context: StoreOptions & { readonly catFile: CatFile },
  sessions: readonly SessionId[],
): Promise<ReadonlySet<string>> {
  const replaced = new Set<string>();
  const known = new Map<ObjectId, ReadonlySet<string>>();
  const sealsOf = async (key: ObjectId, blob: ObjectId): Promise<ReadonlySet<string>> => {
    const seals = known.get(blob) ?? (await readSeals(context, key, blob));
    known.set(blob, seals);
    return seals;
  };
  const keys = sessions.map((session) => anchorKey(context.objectFormat, signatureAnchor(session)));
  const steps = await listNoteSteps(context, { ref: signatureNotes.ref, keys, most: mostSteps });
  for (const { key, old, now } of steps) {
    if (old === null) continue;
    const left = now === null ? new Set<string>() : await sealsOf(key, now);
    for (const seal of await sealsOf(key, old)) if (!left.has(seal)) replaced.add(seal);
  }
  return replaced;
}

async function readSeals(
  { catFile, objectFormat }: StoreOptions & { readonly catFile: CatFile },
  key: ObjectId,
  blob: ObjectId,
): Promise<ReadonlySet<string>> {
  const object = await catFile.read(blob).catch(() => null);
  const { value } = await Note.readWhole(signatureNotes, { key, blob }, object?.bytes ?? null, objectFormat);
  return new Set(value?.seals.map(({ signature }) => signature));
}
