import { type ObjectId, parseObjectId, type SessionId } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { runGitForLines } from '../../git/process/run-git.ts';
import { computeNoteKey, type NoteKind, signatureAnchor, signatureNoteKind } from '../notes/note-kinds.ts';
import { notePath } from '../notes/note-tree.ts';
import { type NoteId, StoredNote } from '../notes/stored-note.ts';
import type { StoreOptions } from '../store-options.ts';

/**
 * Finds the newest wanted version of each note in the history of its ref, from any clone; one git reads them all. Notes
 * without one are left out.
 */
export async function findNewestWantedVersions<T>(
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
      const value = await readVersion(context, kind, { key, blob });
      if (value === null || !isWanted(value)) continue;
      found.set(thing, value);
      break;
    }
  }
  return found;
}

/** null: it can't be read. */
async function readVersion<T>(
  { catFile, objectFormat }: StoreOptions & { readonly catFile: CatFile },
  kind: NoteKind<T>,
  id: NoteId,
): Promise<T | null> {
  const object = await catFile.read(id.blob).catch(() => null);
  return (await StoredNote.readWhole(kind, id, object?.bytes ?? null, objectFormat)).value;
}

/** The blobs of each note, newest first. */
async function listVersions<T>(
  options: StoreOptions,
  { ref }: NoteKind<T>,
  keys: readonly ObjectId[],
): Promise<ReadonlyMap<ObjectId, ReadonlySet<ObjectId>>> {
  const versions = new Map<ObjectId, Set<ObjectId>>(keys.map((key) => [key, new Set()]));
  for (const { key, old, now } of await listNoteRevisions(options, { ref, keys }))
    for (const blob of [now, old]) if (blob !== null) versions.get(key)?.add(blob);
  return versions;
}

/** A change of a note in some commit of its ref's history, against one of that commit's parents. */
export interface NoteRevision {
  readonly key: ObjectId;
  /** The blobs before and after; null: there was none, or it was removed. */
  readonly old: ObjectId | null;
  readonly now: ObjectId | null;
}

/**
 * The steps by which notes of a ref became what they are, newest first, by one git for all of them. A merge is compared
 * with each of its parents: that it took one side's version is no reason to leave out how it was on the other.
 */
export async function listNoteRevisions(
  { context, commonDir }: StoreOptions,
  { ref, keys, most }: { readonly ref: string; readonly keys: readonly ObjectId[]; readonly most?: number },
): Promise<readonly NoteRevision[]> {
  const paths = new Map(keys.map((key) => [notePath(key).join('/'), key]));
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  const lines = await runGitForLines(git, [
    '--no-replace-objects',
    'log',
    '--full-history',
    '-m',
    '--raw',
    '--no-abbrev',
    // Where not all are read, the latest of every line.
    ...(most === undefined ? ['--topo-order'] : [`--max-count=${most}`]),
    '--no-renames',
    '--format=',
    ref,
    '--',
    ...paths.keys(),
  ]);
  return lines.flatMap((line): readonly NoteRevision[] => {
    const [, old = '', now = '', path = ''] = /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\t(.+)$/.exec(line) ?? [];
    const key = paths.get(path);
    return key === undefined ? [] : [{ key, old: toBlob(old), now: toBlob(now) }];
  });
}

function toBlob(name: string): ObjectId | null {
  return /^0+$/.test(name) ? null : parseObjectId(name);
}

/** Steps that are looked at, newest first: anyone who may push can make the history longer. */
const mostSteps = 2_000;

/**
 * Finds the signatures of these sessions that some commit of their ref's history removed, from any clone: a clone
 * replaces its own by a newer one, so a removed one that is there again was put back. Rewritten histories and commits
 * beyond the newest are not covered.
 */
export async function findReplacedSignatures(
  context: StoreOptions & { readonly catFile: CatFile },
  sessions: readonly SessionId[],
): Promise<ReadonlySet<string>> {
  const replaced = new Set<string>();
  const known = new Map<ObjectId, ReadonlySet<string>>();
  const sealsOf = async (key: ObjectId, blob: ObjectId): Promise<ReadonlySet<string>> => {
    const before = known.get(blob);
    if (before !== undefined) return before;
    const note = await readVersion(context, signatureNoteKind, { key, blob });
    const seals = new Set(note?.seals.map(({ signature }) => signature));
    known.set(blob, seals);
    return seals;
  };
  const keys = sessions.map((session) => computeNoteKey(context.objectFormat, signatureAnchor(session)));
  const steps = await listNoteRevisions(context, { ref: signatureNoteKind.ref, keys, most: mostSteps });
  for (const { key, old, now } of steps) {
    if (old === null) continue;
    const left = now === null ? new Set<string>() : await sealsOf(key, now);
    for (const seal of await sealsOf(key, old)) if (!left.has(seal)) replaced.add(seal);
  }
  return replaced;
}
