import { lstatSync, readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { CellSnapshot, CellWorktree } from '../domain/git-port.ts';
import { pathsOf } from './cell-view.ts';
import type { GitAccess } from './git-access.ts';

/** What stands in front of a path in the cell's private git folder: its HEAD, index and refs. */
const gitPrefix = '.git/';
const entriesAtOnce = 2_000;

/**
 * Every file and folder of a cell's worktree, ignored and untracked ones too, and of its private git folder.
 * Nothing is opened or followed: a file counts as changed when its inode, kind, size or ctime does, and ctime is
 * the kernel's, which nothing in a cell can set.
 */
export async function snapshotCell(access: GitAccess, cell: CellWorktree): Promise<CellSnapshot> {
  const entries = new Map<string, string>();
  await addFolder(entries, '', cell.path);
  await addFolder(entries, gitPrefix, pathsOf(access, cell).agentGitDir);
  return entries;
}

async function addFolder(entries: Map<string, string>, prefix: string, root: string): Promise<void> {
  // Names that are no UTF-8 must not fall together, so paths are bytes here.
  const waiting: Buffer[] = [Buffer.alloc(0)];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of namesIn(below(Buffer.from(root), folder))) {
      const path = below(folder, name);
      const { isFolder, facts } = factsOf(below(Buffer.from(root), path));
      if (isFolder) waiting.push(path);
      entries.set(`${prefix}${path.toString('latin1')}`, facts);
      if (entries.size % entriesAtOnce === 0) await setImmediate();
    }
  }
}

function below(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, Buffer.from('/'), name]);
}

/** Nothing where it can't be read; the folder itself is listed all the same. */
function namesIn(folder: Buffer): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' });
  } catch {
    return [];
  }
}

/** What tells a file from what it is after a change. */
export function factsOf(path: Buffer): { readonly isFolder: boolean; readonly facts: string } {
  try {
    const { mode, ino, size, ctimeNs, ...stats } = lstatSync(path, { bigint: true });
    // A folder's own times only say that something in it changed.
    if ((mode & 0o170000n) === 0o040000n) return { isFolder: true, facts: `folder ${mode}` };
    return { isFolder: false, facts: [mode, ino, size, ctimeNs, stats.nlink].join(' ') };
  } catch {
    return { isFolder: false, facts: 'unreadable' };
  }
}
