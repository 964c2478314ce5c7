import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJsonRecord } from '../util/json.ts';
import { readTextOrEmpty } from '../util/read-file.ts';
import { cloneStateDir } from '../util/user-folders.ts';
import { makeFolders } from '../util/write-files.ts';
import type { CloneAndEnv } from './clone-folders.ts';

/** Which commit of each changeset the person of this clone saw last. */
export interface LastSeenCommits {
  /** Remembers that these were printed; where that can't be kept, they count as not shown. */
  recordSeen(session: string, changesets: readonly { readonly id: string; readonly commit: string }[]): void;
  /** The commit of a changeset that was shown last; null: none was. */
  findLastSeen(session: string, changeset: string): string | null;
}

/** An append-only file for each session, outside the repository, a line for each commit, the latest last. */
export function openLastSeenCommits({ env, commonDir }: CloneAndEnv): LastSeenCommits {
  const fileOf = (session: string): string => join(cloneStateDir(env, commonDir), 'shown', session);
  return {
    recordSeen: (session, changesets) => {
      if (changesets.length === 0) return;
      const file = fileOf(session);
      const before = readShown(file);
      const lines = changesets
        .filter(({ id, commit }) => before.get(id) !== commit)
        .map(({ id, commit }) => JSON.stringify({ changeset: id, commit }));
      if (lines.length > 0) append(file, lines.join('\n'));
    },
    findLastSeen: (session, changeset) => readShown(fileOf(session)).get(changeset) ?? null,
  };
}

function readShown(file: string): ReadonlyMap<string, string> {
  const lines = readTextOrEmpty(file).split('\n').map(parseJsonRecord);
  return new Map(lines.map(({ changeset, commit }) => [String(changeset), String(commit)]));
}

function append(file: string, text: string): void {
  try {
    makeFolders(dirname(file), 0o700);
    appendFileSync(file, `\n${text}\n`, { mode: 0o600 });
  } catch {
    // Commands that only read don't fail for it: the approval that follows asks for the commit.
  }
}
