import type { ObjectId } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { Note } from '../notes/note.ts';
import type { NoteKind } from '../notes/note-kinds.ts';
import type { StoreOptions } from '../store-options.ts';
import { listNoteSteps } from './note-steps.ts';

/**
 * Of each note the newest version on its ref, in whatever clone's line of it, that is wanted; by one git for all of
 * them. Those that have none are left out.
 */
export async function findVersions<T>(
  context: StoreOptions & { readonly catFile: CatFile },
  kind: NoteKind<T>,
  keys: ReadonlyMap<T, ObjectId>,
  isWanted: (value: T) => boolean,
): Promise<ReadonlyMap<T, T>> {
  const found = new Map<T, T>();
  if (keys.size === 0) return found;
  const versions = await listVersions(context, kind, [...keys.values()]);
  for (const [thing, key] of keys) {
    for (const blob of versions.get(key) ?? []) {
      const object = await context.catFile.read(blob).catch(() => null);
      const { value } = await Note.readWhole(
        kind,
        { key, blob },
        object?.bytes ?? null,
        context.objectFormat,
      );
      if (value === null || !isWanted(value)) continue;
      found.set(thing, value);
      break;
    }
  }
  return found;
}

/** The blobs of each note, newest first. */
async function listVersions<T>(
  options: StoreOptions,
  { ref }: NoteKind<T>,
  keys: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, ReadonlySet<ObjectId>>> {
  const versions = new Map<ObjectId, Set<ObjectId>>(keys.map((key) => [key, new Set()]));
  for (const { key, old, now } of await listNoteSteps(options, { ref, keys }))
    for (const blob of [now, old]) if (blob !== null) versions.get(key)?.add(blob);
  return versions;
}
