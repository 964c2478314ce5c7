import { join } from 'node:path';
import { FlameError } from '../domain/flame-error.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { CellWorktree, GitCells } from '../domain/ports/git-cells.ts';
import { addCell, removeCell } from './cells/add-cell.ts';
import { claimFirstReport, noteCellEnd } from './cells/cell-paths.ts';
import { pathsOf, readCellHead } from './cells/cell-view.ts';
import { keepCommits, restoreTracked, restoreWorktree, startMerge } from './cells/change-worktree.ts';
import { commitLeftovers, readMade, rescueCell } from './cells/commit-leftovers.ts';
import { handToPerson, isHandedToPerson, noteAccepted, personCommit } from './cells/hand-to-person.ts';
import { importObjects, type StepObserver } from './cells/import-objects.ts';
import { markPrepared, preparedPaths, readLeftovers } from './cells/leftovers.ts';
import { readIgnoredWork, readLostCommits } from './cells/lost-work.ts';
import { listCells, recoverQuarantines } from './cells/recover-quarantines.ts';
import { snapshotCell } from './cells/snapshot-cell.ts';
import { markPreparedSubmodules } from './cells/submodules.ts';
import { diffCell } from './cells/trials.ts';
import { verifyObjects } from './cells/verify-objects.ts';
import type { GitAccess } from './objects/git-access.ts';
import { removeDeadObjects } from './objects/loose-object.ts';

export function openCells(access: GitAccess, onStep: StepObserver): GitCells {
  const { commonDir } = access.repository;
  const importCell = async (cell: CellWorktree, tip: ObjectId): Promise<void> => {
    const intake = await verifyObjects(access, cell.quarantine, tip);
    onStep('verified');
    await importObjects(intake, join(commonDir, 'objects'), tip, { onStep, guard: access.guard });
    noteAccepted(access, cell, tip);
  };
  const discardCell = (cell: CellWorktree): Promise<void> =>
    removeCell(commonDir, pathsOf(access, cell).id, cell.path, { onStep, guard: access.guard });
  return {
    addCellWorktree: (path, start, subject, base = start, sparse = null) =>
      addCell(access, path, { start, base, subject: subject ?? null, sparse }),
    addScratchWorktree: (path, commit, sparse = null) =>
      addCell(access, path, { start: commit, base: commit, subject: null, sparse }),
    cells: () => listCells(commonDir),
    cellHead: (cell) => readCellHead(access, cell),
    cellLeftovers: (cell) => readLeftovers(access, cell),
    cellLost: (cell) => readLostCommits(access, cell),
    cellIgnored: (cell, scope) => readIgnoredWork(access, cell, scope),
    snapshotCell: (cell) => snapshotCell(access, cell),
    noteEnd: async (cell, note) => noteCellEnd(commonDir, pathsOf(access, cell).id, note),
    cellPrepared: async (cell) => preparedPaths(access, cell),
    markPrepared: async (cell, paths, globs = []) => {
      await markPrepared(access, cell, { paths, globs });
      await markPreparedSubmodules(access, cell);
    },
    restoreWorktree: (cell) => restoreWorktree(access, cell),
    restoreTracked: (cell, paths) => restoreTracked(access, cell, paths),
    rescueCell: (cell, init) => rescueCell(access, cell, init),
    cellMade: async (cell) => readMade(access, cell),
    commitLeftovers: (cell, paths, init) => commitLeftovers(access, cell, paths, init),
    startMergeIn: (cell, commit) => startMerge(access, cell, commit),
    importCell,
    acceptCell: async (cell, tip) => {
      await importCell(cell, tip);
      await discardCell(cell);
    },
    discardCell,
    leaveToPerson: (cell) => handToPerson(access, cell),
    isLeft: (cell) => isHandedToPerson(access, cell),
    isNews: async (cell) => claimFirstReport(commonDir, pathsOf(access, cell).id),
    personCommit: (cell) => personCommit(access, cell),
    diffCell: (cell) => diffCell(access, cell),
    recoverCells: async () => {
      removeDeadObjects(join(commonDir, 'objects'));
      const removed = await recoverQuarantines(commonDir, {
        keepCommits: (cell, owner) => keepCommits(access, cell, owner),
        onStep,
      });
      for (const cell of (await listCells(commonDir)).filter(({ owner }) => owner === 'gone'))
        await handToPerson(access, cell).catch(unlessCell);
      return removed;
    },
  };
}

/** A worktree that can't be read stays as it is. */
function unlessCell(error: unknown): void {
  if (!(error instanceof FlameError)) throw error;
}
