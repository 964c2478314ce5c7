import { appendFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../util/remove-tree.ts';
import type { RunFolder } from '../run-folder.ts';

interface SocketFolder {
  readonly path: string;
  remove(): Promise<void>;
}

// sun_path holds 108 bytes with its final zero.
const longestSocketPath = 107;
const longestSocketName = 'gateway.sock';

export const socketPrefix = 'flame-sockets-';
/** In the run folder: where its sockets are, when they are elsewhere, one path a line. */
export const socketFolderPathFile = 'sockets-elsewhere';

/** A private folder whose sockets have names short enough to bind: in the run folder, else a temporary one. */
export function makeSocketFolder(folder: RunFolder, name = 'sockets'): SocketFolder {
  const usual = join(folder.root, name);
  const isShort = Buffer.byteLength(join(usual, longestSocketName)) <= longestSocketPath;
  if (isShort) mkdirSync(usual, { mode: 0o700 });
  const path = isShort ? usual : mkdtempSync(join(tmpdir(), socketPrefix));
  if (!isShort) appendFileSync(join(folder.root, socketFolderPathFile), `${path}\n`);
  // Sockets in the run folder are removed with it.
  return { path, remove: () => (isShort ? Promise.resolve() : removeTree(path).catch(() => undefined)) };
}
