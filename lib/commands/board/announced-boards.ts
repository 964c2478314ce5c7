import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonRecord } from '../../util/json.ts';
import { ownIdentity, parseIdentity, processState } from '../../util/process-identity.ts';
import { listPathsIn, readTextOrEmpty } from '../../util/read-file.ts';
import { cloneStateDir } from '../../util/user-folders.ts';
import { makeFolders, replaceFile } from '../../util/write-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

function folderOf(env: Env, commonDir: string): string {
  return join(cloneStateDir(env, commonDir), 'boards');
}

/**
 * Notes the address of a board that this process serves, in a file that only its person can read; the returned function
 * removes it. With the address the person's other boards link to it.
 */
export function announceBoard(env: Env, commonDir: string, url: string): () => void {
  const folder = folderOf(env, commonDir);
  findAnnouncedBoard(env, commonDir);
  const file = join(folder, `${process.pid}`);
  try {
    makeFolders(folder, 0o700);
    replaceFile(file, `${JSON.stringify({ url, process: ownIdentity() })}\n`, 0o600);
  } catch {
    // The board works without a link to it.
  }
  return () => rmSync(file, { force: true });
}

/** The address of a board that runs for this clone; null: none does. Removes what boards left that were killed. */
export function findAnnouncedBoard(env: Env, commonDir: string): string | null {
  let found: string | null = null;
  for (const file of listPathsIn(folderOf(env, commonDir))) {
    const { url, process: server } = parseJsonRecord(readTextOrEmpty(file));
    const identity = parseIdentity(JSON.stringify(server ?? null));
    const stands = identity === null ? 'gone' : processState(identity);
    if (stands === 'gone') rmSync(file, { force: true });
    else if (stands === 'alive' && typeof url === 'string' && url.startsWith('http://127.0.0.1:')) found = url;
  }
  return found;
}
