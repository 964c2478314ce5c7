import { existsSync, renameSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { parseJsonRecord } from '../util/json.ts';
import { listNamesIn, readTextOrEmpty } from '../util/read-file.ts';
import { cloneStateDir, userStateDir } from '../util/user-folders.ts';
import { makeFolders, replaceFile } from '../util/write-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

const placeFile = 'place';

/** Notes which folder this clone is, so that it is listed, and known again where it is moved to. */
export function recordCloneFolder(env: Env, commonDir: string): void {
  const file = join(cloneStateDir(env, commonDir), placeFile);
  const text = `${JSON.stringify({ path: commonDir, identity: identifyFolder(commonDir) })}\n`;
  if (readTextOrEmpty(file) === text) return;
  makeFolders(dirname(file), 0o700);
  replaceFile(file, text, 0o600);
}

/** Common git directories of this user's clones in which a session was worked on, as they were noted; some may be gone. */
export function listCloneFolders(env: Env): readonly string[] {
  const clones = join(userStateDir(env), 'clones');
  const noted = listNamesIn(clones).map((name) => parseJsonRecord(readTextOrEmpty(join(clones, name, placeFile))).path);
  return [...new Set(noted.flatMap((path) => (typeof path === 'string' && isAbsolute(path) ? [path] : [])))];
}

/**
 * Brings what was decided in a clone along with it: to where it was moved on its disk. A copy is another folder, and
 * nothing was decided in it.
 */
export async function adoptMovedClone(env: Env, commonDir: string): Promise<void> {
  const own = cloneStateDir(env, commonDir);
  if (existsSync(own)) return;
  const identity = identifyFolder(commonDir);
  for (const name of identity === null ? [] : listNamesIn(dirname(own))) {
    const folder = join(dirname(own), name);
    const noted = parseJsonRecord(readTextOrEmpty(join(folder, placeFile)));
    if (noted.identity !== identity || identifyFolder(`${noted.path}`) === identity) continue;
    // Only then: what reads them loads a library of schemas.
    const { movePermissions } = await import('./repository/permission.ts');
    renameSync(folder, own);
    movePermissions(own, `${noted.path}`, commonDir);
    recordCloneFolder(env, commonDir);
    return;
  }
}

/** Identifies a folder: its number may be used again, its birth time is not; null where the file system has none. */
export function identifyFolder(folder: string): string | null {
  const facts = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return facts === undefined || facts.birthtimeNs === 0n ? null : `${facts.dev} ${facts.ino} ${facts.birthtimeNs}`;
}
