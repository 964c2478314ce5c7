import { existsSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseRecord } from '../util/json.ts';
import { cloneStateDir } from '../util/own-folders.ts';
import { namesIn, readTextOrEmpty } from '../util/read-file.ts';
import { makeFolders, replaceFile } from '../util/write-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

const placeFile = 'place';

/** Notes which folder this clone is, so that it is known again where it is moved to. */
export function noteClone(env: Env, commonDir: string): void {
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
  for (const name of identity === null ? [] : namesIn(dirname(own))) {
    const folder = join(dirname(own), name);
    const noted = parseRecord(readTextOrEmpty(join(folder, placeFile)));
    if (noted.identity !== identity || identityOf(`${noted.path}`) === identity) continue;
    // Only then: what reads them loads a library of schemas.
    const { movePermissions } = await import('./repository/permission.ts');
    renameSync(folder, own);
    movePermissions(own, `${noted.path}`, commonDir);
    return;
  }
}

/** Identifies a folder: its number may be used again, its birth time is not; null where the file system has none. */
export function identityOf(folder: string): string | null {
  const facts = statSync(folder, { throwIfNoEntry: false, bigint: true });
  return facts === undefined || facts.birthtimeNs === 0n
    ? null
    : `${facts.dev} ${facts.ino} ${facts.birthtimeNs}`;
}
