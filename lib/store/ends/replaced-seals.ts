import { type ObjectId, parseObjectId, type SessionId } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { runGit } from '../../git/process/run-git.ts';
import { Note } from '../notes/note.ts';
import { anchorKey, signatureAnchor, signatureNotes } from '../notes/note-kinds.ts';
import { notePath } from '../notes/note-tree.ts';
import type { StoreOptions } from '../store-options.ts';

/** Steps that are looked at, newest first: whoever may push makes the history as long as they like. */
const mostSteps = 2_000;

/**
 * The signatures of these sessions that some step of their ref's history took out, in whatever clone's line of it: a
 * clone replaces its own by a newer one, so one of these that stands there again was put back. Of a history that was
 * rewritten, and of steps beyond the newest, nothing is known.
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
  for (const { key, old, now } of await listSteps(context, sessions)) {
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
  const { value } = Note.read(signatureNotes, { key, blob }, object?.bytes ?? null, objectFormat);
  return new Set(value?.seals.map(({ signature }) => signature));
}

interface Step {
  readonly key: ObjectId;
  readonly old: ObjectId;
  /** null: the note was removed. */
  readonly now: ObjectId | null;
}

async function listSteps(
  { context, commonDir, objectFormat }: StoreOptions,
  sessions: readonly SessionId[],
): Promise<readonly Step[]> {
  const keys = sessions.map((session) => anchorKey(objectFormat, signatureAnchor(session)));
  const paths = new Map(keys.map((key) => [notePath(key).join('/'), key]));
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  // Against each parent of a merge: one of the sides may have taken something out.
  const { stdout } = await runGit(git, [
    ...['--no-replace-objects', 'log', '--full-history', '-m', '--raw', '--no-abbrev', '--no-renames'],
    ...[`--max-count=${mostSteps}`, '--format=', signatureNotes.ref, '--', ...paths.keys()],
  ]);
  return stdout
    .toString()
    .split('\n')
    .flatMap((line): readonly Step[] => {
      const [, old = '', now = '', path = ''] =
        /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\t(.+)$/.exec(line) ?? [];
      const key = paths.get(path);
      if (key === undefined || /^0+$/.test(old)) return [];
      return [{ key, old: parseObjectId(old), now: /^0+$/.test(now) ? null : parseObjectId(now) }];
    });
}
