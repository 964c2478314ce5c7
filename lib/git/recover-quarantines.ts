import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellWorktree } from '../domain/git-port.ts';
import { withCellLock } from './cell-lock.ts';
import { cellPaths, cellsFolder, listFolders, readCell } from './cell-paths.ts';
import { removeCell, removeTree, removingSuffix } from './remove-cell.ts';

/**
 * Finishes removals that were cut short, and removes what is left of cells whose worktree is gone. Harmless
 * at any time and again; cells with a worktree stay. Returns the names of what it removed.
 */
export async function recoverQuarantines(commonDir: string): Promise<readonly string[]> {
  if (!existsSync(join(commonDir, 'blueflame'))) return [];
  return withCellLock(commonDir, async () => {
    const removed: string[] = [];
    for (const name of listFolders(cellsFolder(commonDir))) {
      const isLeaving = name.endsWith(removingSuffix);
      const path = recordedPath(join(cellsFolder(commonDir), name));
      if (!isLeaving && path !== null && existsSync(path)) continue;
      const id = isLeaving ? name.slice(0, -removingSuffix.length) : name;
      // A cell of the same name made since then keeps its worktree.
      if (isLeaving && existsSync(cellPaths(commonDir, id).root))
        await removeTree(join(cellsFolder(commonDir), name));
      else await removeCell(commonDir, id, path);
      removed.push(id);
    }
    return [...removed, ...(await removeOrphans(commonDir))];
  });
}

/** The cells that exist now, also those of a run that was killed. */
export function listCells(commonDir: string): readonly CellWorktree[] {
  return listFolders(cellsFolder(commonDir)).flatMap((id) => {
    if (id.endsWith(removingSuffix) || !existsSync(join(cellPaths(commonDir, id).root, 'start'))) return [];
    const cell = readCell(commonDir, id);
    return existsSync(cell.path) ? [cell] : [];
  });
}

async function removeOrphans(commonDir: string): Promise<string[]> {
  const orphans = listFolders(join(commonDir, 'blueflame', 'objects')).filter(
    (id) => !existsSync(cellPaths(commonDir, id).root),
  );
  for (const id of orphans) await removeCell(commonDir, id, null);
  return orphans;
}

function recordedPath(root: string): string | null {
  try {
    return readFileSync(join(root, 'worktree'), 'utf8');
  } catch {
    return null;
  }
}
