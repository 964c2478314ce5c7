import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import { runGit } from '../../git/process/run-git.ts';
import { notePath } from '../notes/note-tree.ts';
import type { StoreOptions } from '../store-options.ts';

/** A change of a note in some commit of its ref's history, against one of that commit's parents. */
export interface NoteStep {
  readonly key: ObjectId;
  /** The blobs before and after; null: there was none, or it was removed. */
  readonly old: ObjectId | null;
  readonly now: ObjectId | null;
}

/**
 * The steps by which notes of a ref became what they are, newest first, by one git for all of them. A merge is compared
 * with each of its parents: that it took one side's version is no reason to leave out how it was on the other.
 */
export async function listNoteSteps(
  { context, commonDir }: StoreOptions,
  { ref, keys, most }: { readonly ref: string; readonly keys: readonly ObjectId[]; readonly most?: number },
): Promise<readonly NoteStep[]> {
  const paths = new Map(keys.map((key) => [notePath(key).join('/'), key]));
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  const { stdout } = await runGit(git, [
    ...['--no-replace-objects', 'log', '--full-history', '-m', '--raw', '--no-abbrev'],
    // Where not all are read, the latest of every line.
    ...(most === undefined ? ['--topo-order'] : [`--max-count=${most}`]),
    ...['--no-renames', '--format=', ref, '--', ...paths.keys()],
  ]);
  return stdout
    .toString()
    .split('\n')
    .flatMap((line): readonly NoteStep[] => {
      const [, old = '', now = '', path = ''] =
        /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\t(.+)$/.exec(line) ?? [];
      const key = paths.get(path);
      return key === undefined ? [] : [{ key, old: toBlob(old), now: toBlob(now) }];
    });
}

function toBlob(name: string): ObjectId | null {
  return /^0+$/.test(name) ? null : parseObjectId(name);
}
