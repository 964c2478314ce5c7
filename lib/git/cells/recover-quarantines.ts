import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CellInfo, CellWorktree } from '../../domain/ports/git-cells.ts';
import { processStart } from '../../util/process-identity.ts';
import { removeTree } from '../../util/remove-tree.ts';
import { gitsAt } from '../refs/gits-at.ts';
import type { StepObserver } from './import-objects.ts';
import { isLinkOf } from './leave-to-person.ts';
import { locateWorktree, repairCell, wasMoved } from './locate-cell.ts';
import { withCellLock } from './lock.ts';
import { cellPaths, cellsFolder, describeCell, listFolders, makerOf, ownerState } from './paths.ts';
import { type CellRecord, readRecord } from './record.ts';
import { removeCell, removingSuffix } from './remove-cell.ts';

const patienceMs = 10_000;

/**
 * Finishes removals that were cut short, and removes the rest of cells whose worktree is gone or was never finished.
 * Harmless at any time and again; cells an agent may have been in stay, and where its worktree is gone those for which
 * `keepCommits` returns true. Returns the names of what it removed.
 */
export async function recoverQuarantines(
  commonDir: string,
  {
    keepCommits,
    onStep,
  }: {
    keepCommits(cell: CellWorktree, owner: CellInfo['owner']): Promise<boolean>;
    readonly onStep: StepObserver;
  },
): Promise<readonly string[]> {
  if (!existsSync(join(commonDir, 'blueflame'))) return [];
  return withCellLock(commonDir, async () => {
    const removed: string[] = [];
    for (const name of listFolders(cellsFolder(commonDir))) {
      const maker = makerOf(name);
      if (maker !== null) {
        if (processStart(maker) === null) await removeTree(join(cellsFolder(commonDir), name));
        continue;
      }
      const isLeaving = name.endsWith(removingSuffix);
      const record = readRecord(join(cellsFolder(commonDir), name));
      const id = isLeaving ? name.slice(0, -removingSuffix.length) : name;
      const path = locateWorktree(commonDir, id, record);
      if (!isLeaving && !isAbandoned(commonDir, record, path)) {
        if (record.isReady && ownerState(record) !== 'alive') repairCell(commonDir, id, record);
        continue;
      }
      const wasAgents = !isLeaving && record.isReady && record.subject !== null && record.worktree !== null;
      if (wasAgents && (await keepCommits(describeCell(commonDir, id, record), ownerState(record)))) continue;
      // A cell of the same name made since then keeps its worktree.
      if (isLeaving && existsSync(cellPaths(commonDir, id).root))
        await removeTree(join(cellsFolder(commonDir), name));
      else
        await removeCell(commonDir, id, isLeaving || isOurs(commonDir, id, path) ? path : null, { onStep });
      removed.push(id);
    }
    await unlockCells(commonDir);
    return [...removed, ...(await removeOrphans(commonDir))];
  });
}

/** The cells that exist now, also those of a run that was killed. */
export async function listCells(commonDir: string): Promise<readonly CellInfo[]> {
  const cells: CellInfo[] = [];
  for (const id of listFolders(cellsFolder(commonDir))) {
    // One that is being made may lack anything yet.
    const record =
      id.endsWith(removingSuffix) || makerOf(id) !== null ? null : readRecord(cellPaths(commonDir, id).root);
    if (record?.isReady !== true) continue;
    const path = locateWorktree(commonDir, id, record);
    if (path === null) continue;
    const cell = describeCell(commonDir, id, { ...record, worktree: path });
    const { subject, ended } = record;
    cells.push({ ...cell, owner: ownerState(record), subject, ended: await readEnd(ended) });
  }
  return cells;
}

/** Where no agent has ended there is nothing to load what reads it for. */
async function readEnd(noted: unknown): Promise<CellInfo['ended']> {
  return noted === undefined ? null : (await import('./cell-end.ts')).parseCellEnd(noted);
}

/**
 * Nothing an agent wrote is in a cell without a worktree, nor in one that was cut short in the making. Where the
 * repository was moved, the worktree may be somewhere else.
 */
function isAbandoned(commonDir: string, record: CellRecord, path: string | null): boolean {
  const hasPlace = path !== null;
  if (record.isReady) return !hasPlace && !wasMoved(commonDir, record);
  // One that is being made has no worktree yet.
  const state = ownerState(record);
  return state === 'gone' || (state === 'unknown' && !hasPlace);
}

/** Whether a folder was made for this cell: a kill may have come before that was tried. */
function isOurs(commonDir: string, id: string, path: string | null): boolean {
  if (path === null || !existsSync(path)) return false;
  if (readdirSync(path).length === 0) return true;
  return isLinkOf(cellPaths(commonDir, id), join(path, '.git'));
}

/** A git that died with its tool leaves the lock of our own index in a cell. One that outlived it is waited for. */
async function unlockCells(commonDir: string): Promise<void> {
  for (const { path, owner, quarantine } of await listCells(commonDir)) {
    if (owner !== 'gone') continue;
    const { ownGitDir } = cellPaths(commonDir, basename(quarantine.objectDir));
    const lock = join(ownGitDir, 'index.lock');
    const until = performance.now() + patienceMs;
    while (existsSync(lock) && gitsAt([path]).length > 0 && performance.now() < until) await wait(20);
    rmSync(lock, { force: true });
  }
}

async function removeOrphans(commonDir: string): Promise<string[]> {
  const orphans = listFolders(join(commonDir, 'blueflame', 'objects')).filter(
    (id) => !existsSync(cellPaths(commonDir, id).root),
  );
  for (const id of orphans) await removeCell(commonDir, id, null);
  return orphans;
}
