import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OwnStateTips, Snapshot } from '../domain/ports/store-port.ts';
import { parseJsonRecord } from '../util/json.ts';
import { killPoint } from '../util/kill-point.ts';
import { listNamesIn, readTextOrEmpty } from '../util/read-file.ts';
import { cloneStateDir } from '../util/user-folders.ts';
import { makeFolders, replaceFile } from '../util/write-files.ts';

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
    const decisions = identityOf(join(state, 'decisions'));
    const folder = identityOf(commonDir);
    return `${JSON.stringify({ version, folder, decisions, tips: Object.fromEntries(tips) })}\n`;
  };
  return {
    has: (snapshot) => marked.has(snapshot) || readOrNull(file) === textOf(snapshot),
    mark: (snapshot) => void marked.add(snapshot),
    keep: (snapshot) => {
      if (!marked.has(snapshot)) return;
      killPoint('before own tips are kept');
      replace(file, textOf(snapshot));
      marked = new WeakSet();
    },
  };
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Replaces the file, each process by a temporary one of its own. If that fails, the next look judges. */
function replace(file: string, text: string): void {
  const fresh = `${file}.${process.pid}`;
  try {
    makeFolders(dirname(file), 0o700);
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, file);
  } catch {
    // It is no more than a shortcut.
  }
}

type Env = Readonly<Record<string, string | undefined>>;

const placeFile = 'place';

/** Notes which folder this clone is, so that it is known again where it is moved to. */
export function recordCloneFolder(env: Env, commonDir: string): void {
  const file = join(cloneStateDir(env, commonDir), placeFile);
  const identity = identityOf(commonDir);
  if (identity === null) return;
  const text = `${JSON.stringify({ path: commonDir, identity })}\n`;
  if (readTextOrEmpty(file) === text) return;
  makeFolders(dirname(file), 0o700);
  replaceFile(file, text, 0o600);
}

/**
 * Brings what was decided in a clone along with it: to where it was moved on its disk. A copy is another folder, and
 * nothing was decided in it.
 */
export async function adoptMovedClone(env: Env, commonDir: string): Promise<void> {
  const own = cloneStateDir(env, commonDir);
  if (existsSync(own)) return;
  const identity = identityOf(commonDir);
  for (const name of identity === null ? [] : listNamesIn(dirname(own))) {
    const folder = join(dirname(own), name);
    const noted = parseJsonRecord(readTextOrEmpty(join(folder, placeFile)));
    if (noted.identity !== identity || identityOf(`${noted.path}`) === identity) continue;
    // Only then: what reads them loads a library of schemas.
    const { movePermissions } = await import('./repository/permission.ts');
    renameSync(folder, own);
    movePermissions(own, `${noted.path}`, commonDir);
    return;
  }
}

/** Identifies a folder: its number may be used again, its birth time is not; null where the file system has none. */
function identityOf(folder: string): string | null {
  const facts = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return facts === undefined || facts.birthtimeNs === 0n ? null : `${facts.dev} ${facts.ino} ${facts.birthtimeNs}`;
}
