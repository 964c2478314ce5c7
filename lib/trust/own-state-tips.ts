import { join } from 'node:path';
import type { OwnStateTips, Snapshot } from '../domain/ports/store-port.ts';
import { killPoint } from '../util/kill-point.ts';
import { readTextOrEmpty } from '../util/read-file.ts';
import { cloneStateDir } from '../util/user-folders.ts';
import { identifyFolder, replaceStateFile } from './clone-folders.ts';

type Tipped = Pick<Snapshot, 'tips'>;

/**
 * Where the state refs were when this clone wrote or admitted all of their state, in its user's state folder, where neither a
 * fetch nor an agent can write. Without the file, or where it has anything else in it, a state is judged: it is never
 * trusted for it. Only the latest is kept, so an earlier state that is put back is judged too; so is a copy of the
 * repository, all where the decisions of this clone were removed, and all by another version of the program, which may read
 * more of a note.
 */
export function openOwnStateTips(
  env: Readonly<Record<string, string | undefined>>,
  { commonDir, version }: { readonly commonDir: string; readonly version: string },
): OwnStateTips {
  const state = cloneStateDir(env, commonDir);
  const file = join(state, 'own-tips');
  let marked = new WeakSet<Tipped>();
  const textOf = ({ tips }: Tipped): string => {
    const decisions = identifyFolder(join(state, 'decisions'));
    const folder = identifyFolder(commonDir);
    return `${JSON.stringify({ version, folder, decisions, tips: Object.fromEntries(tips) })}\n`;
  };
  return {
    has: (snapshot) => marked.has(snapshot) || readTextOrEmpty(file) === textOf(snapshot),
    mark: (snapshot) => void marked.add(snapshot),
    keep: (snapshot) => {
      if (!marked.has(snapshot)) return;
      killPoint('before own tips are kept');
      // It is no more than a shortcut: without it the next look judges.
      replaceStateFile(file, textOf(snapshot));
      marked = new WeakSet();
    },
  };
}
