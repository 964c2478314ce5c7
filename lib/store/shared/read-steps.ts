import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import { runGit } from '../../git/process/run-git.ts';
import type { StoreOptions } from '../store-options.ts';

/** What one commit changed of the notes of a ref. */
export interface NotesStep {
  readonly commit: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly notes: readonly ChangedNote[];
}

export interface ChangedNote {
  readonly key: ObjectId;
  /** The blobs before and after; null: there was none, or it was removed. A merge is compared with its first parent. */
  readonly old: ObjectId | null;
  readonly now: ObjectId | null;
}

// Who may push can push any number of commits between two looks: they are read so many at a time, and all of them.
const pageLength = 20_000;

/** The steps by which a ref of notes went from one commit to another, oldest first, on whatever line; without those that changed no note. */
export async function readSteps(
  { context, commonDir }: Pick<StoreOptions, 'context' | 'commonDir'>,
  { from, to }: { readonly from: ObjectId; readonly to: ObjectId },
): Promise<readonly NotesStep[]> {
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  const found: NotesStep[] = [];
  for (let skipped = 0, isMore = true; isMore; skipped += pageLength) {
    const { stdout } = await runGit(git, [
      ...['--no-replace-objects', 'log', '--topo-order', '--raw', '--no-abbrev', '--no-renames'],
      ...['--diff-merges=first-parent', '--no-show-signature'],
      ...[`--skip=${skipped}`, `--max-count=${pageLength}`, '--format=%x00%H %P', to, `^${from}`, '--'],
    ]);
    const records = stdout.toString().split('\0').slice(1);
    for (const step of records.map(readRecord)) if (step.notes.length > 0) found.push(step);
    isMore = records.length === pageLength;
  }
  return found.reverse();
}

function readRecord(record: string): NotesStep {
  const [head = '', ...rows] = record.split('\n');
  const [commit = '', ...parents] = head.trim().split(' ');
  return {
    commit: parseObjectId(commit),
    parents: parents.filter(Boolean).map(parseObjectId),
    notes: rows.flatMap((row): readonly ChangedNote[] => {
      const [, old = '', now = '', path = ''] =
        /^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*\t(.+)$/.exec(row) ?? [];
      const key = path.replaceAll('/', '');
      const isNote = /^[0-9a-f]+$/.test(key) && key.length === commit.length;
      return isNote ? [{ key: parseObjectId(key), old: toBlob(old), now: toBlob(now) }] : [];
    }),
  };
}

function toBlob(name: string): ObjectId | null {
  return /^0+$/.test(name) ? null : parseObjectId(name);
}
