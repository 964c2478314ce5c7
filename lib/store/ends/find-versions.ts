import type { ObjectId } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { runGit } from '../../git/process/run-git.ts';
import { Note } from '../notes/note.ts';
import type { NoteKind } from '../notes/note-kinds.ts';
import { notePath } from '../notes/note-tree.ts';
import type { StoreOptions } from '../store-options.ts';

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
      const { value } = Note.read(kind, { key, blob }, object?.bytes ?? null, context.objectFormat);
      if (value === null || !isWanted(value)) continue;
      found.set(thing, value);
      break;
    }
  }
  return found;
}

/** The blobs of each note, newest first. */
async function listVersions<T>(
  { context, commonDir }: StoreOptions,
  { ref }: NoteKind<T>,
  keys: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, ReadonlySet<ObjectId>>> {
  const paths = new Map(keys.map((key) => [notePath(key).join('/'), key]));
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  // A merge that took the other side's version is no reason to leave out how it was on ours.
  const { stdout } = await runGit(git, [
    ...['--no-replace-objects', 'log', '--full-history', '--topo-order', '-m', '--raw', '--no-abbrev'],
    ...['--no-renames', '--format=', ref, '--', ...paths.keys()],
  ]);
  const versions = new Map<ObjectId, Set<ObjectId>>();
  for (const line of stdout.toString().split('\n')) {
    const [, old, now, path] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\t(.+)$/.exec(line) ?? [];
    const key = paths.get(path ?? '');
    if (key === undefined) continue;
    const blobs = versions.get(key) ?? new Set();
    for (const blob of [now, old]) if (blob !== undefined && !/^0+$/.test(blob)) blobs.add(blob as ObjectId);
    versions.set(key, blobs);
  }
  return versions;
}
