import { lstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { CellSnapshot, CellWorktree } from '../../domain/ports/git-cells.ts';
import { listByteNamesIn } from '../../util/read-file.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { hiddenPathsAttributesFile } from './agent-refs.ts';
import { workTooLargeError } from './require-work-in-bounds.ts';
import { countIndexEntries, requireCellGitFolders } from './tool-index.ts';

/** The prefix of paths in the cell's private git folder: its HEAD, index and refs. */
const gitPrefix = '.git/';
const entriesAtOnce = 2_000;

/**
 * Every file and folder of a cell's worktree, ignored and untracked ones too, and of its private git folder.
 * Nothing is opened or followed: a file counts as changed when its inode, kind, size or ctime does, and ctime is
 * the kernel's, which nothing in a cell can set. Throws FlameError `cell-too-much` where they are more than is
 * looked at.
 */
export async function snapshotCell(access: GitAccess, cell: CellWorktree): Promise<CellSnapshot> {
  const { agentGitDir, ownGitDir } = requireCellGitFolders(access, cell);
  const entries = new Map<string, string>();
  const most = access.bounds.entries + countIndexEntries(ownGitDir);
  await addFolder(entries, most, { prefix: '', root: cell.path });
  await addFolder(entries, most, { prefix: gitPrefix, root: agentGitDir });
  // Written before each cell starts, and read-only there.
  entries.delete(`${gitPrefix}${hiddenPathsAttributesFile}`);
  return entries;
}

async function addFolder(
  entries: Map<string, string>,
  most: number,
  { prefix, root }: { readonly prefix: string; readonly root: string },
): Promise<void> {
  // Names that are no UTF-8 must not fall together, so paths are bytes here.
  const waiting: Buffer[] = [Buffer.alloc(0)];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of listByteNamesIn(below(Buffer.from(root), folder))) {
      const path = below(folder, name);
      const { isFolder, facts } = readFileFingerprint(below(Buffer.from(root), path));
      if (isFolder) waiting.push(path);
      entries.set(`${prefix}${path.toString('latin1')}`, facts);
      if (entries.size > most) throw workTooLargeError('files and folders or more', { found: entries.size, most });
      if (entries.size % entriesAtOnce === 0) await setImmediate();
    }
  }
}

function below(folder: Buffer, name: Buffer): Buffer {
  return folder.length === 0 ? name : Buffer.concat([folder, Buffer.from('/'), name]);
}

/** Returns the facts of a file that differ after a change of it. */
export function readFileFingerprint(path: Buffer): { readonly isFolder: boolean; readonly facts: string } {
  try {
    const { mode, ino, size, ctimeNs, ...stats } = lstatSync(path, { bigint: true });
    // A folder's own times only say that something in it changed.
    if ((mode & 0o170000n) === 0o040000n) return { isFolder: true, facts: `folder ${mode}` };
    return { isFolder: false, facts: [mode, ino, size, ctimeNs, stats.nlink].join(' ') };
  } catch {
    return { isFolder: false, facts: 'unreadable' };
  }
}
