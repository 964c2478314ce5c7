import { join } from 'node:path';
import { FlameError } from '../domain/flame-error.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { CellWorktree, GitCells } from '../domain/ports/git-cells.ts';
import { addCell, removeCell } from './cells/add-cell.ts';
import { markCellReported, recordAgentEnd } from './cells/cell-git-folders.ts';
import { commitCellRescue, commitLeftovers, readCommitMadeForAgent } from './cells/commit-leftovers.ts';
import { copyVerifiedObjects } from './cells/copy-verified-objects.ts';
import {
  findCommitMadeByPerson,
  handWorktreeToPerson,
  isHandedToPerson,
  recordAcceptedTip,
} from './cells/hand-to-person.ts';
import { listAbandonedCommits, readIgnoredWork } from './cells/ignored-and-abandoned-work.ts';
import { importObjects, type KillPointObserver } from './cells/import-objects.ts';
import { listPreparedPaths, readLeftovers, recordPreparedPaths } from './cells/leftovers.ts';
import { listCells, removeUnfinishedCells } from './cells/remove-unfinished-cells.ts';
import { recordPreparedSubmodules } from './cells/require-unchanged-submodules.ts';
import {
  recreateCellWorktree,
  restoreIfOnlyCommitsLeft,
  restoreTracked,
  startMergeInCell,
} from './cells/restore-worktree.ts';
import { snapshotCell } from './cells/snapshot-cell.ts';
import { readCellHead, requireCellGitFolders } from './cells/tool-index.ts';
import { diffCell } from './cells/trial-merge.ts';
import type { GitAccess } from './objects/git-access.ts';
import { removeUnfinishedObjects } from './objects/loose-object.ts';
import { finishKilledTries } from './worktrees/try-worktree.ts';

export function openGitCellsPort(access: GitAccess, onStep: KillPointObserver): GitCells {
  const { commonDir } = access.repository;
  const importCell = async (cell: CellWorktree, tip: ObjectId): Promise<void> => {
    const intake = await copyVerifiedObjects(access, cell.quarantine, tip);
    onStep('verified');
    await importObjects(intake, join(commonDir, 'objects'), tip, { onStep, guard: access.guard });
    recordAcceptedTip(access, cell, tip);
  };
  const discardCell = (cell: CellWorktree): Promise<void> =>
    removeCell(commonDir, requireCellGitFolders(access, cell).id, cell.path, { onStep, guard: access.guard });
  return {
    addCellWorktree: (path, start, subject, base = start, sparse = null) =>
      addCell(access, path, { start, base, subject: subject ?? null, sparse }),
    addScratchWorktree: (path, commit, sparse = null) =>
      addCell(access, path, { start: commit, base: commit, subject: null, sparse }),
    cells: () => listCells(commonDir),
    cellHead: (cell) => readCellHead(access, cell),
    cellLeftovers: (cell) => readLeftovers(access, cell),
    listAbandonedCommits: (cell) => listAbandonedCommits(access, cell),
    listIgnoredAgentWork: (cell, scope) => readIgnoredWork(access, cell, scope),
    snapshotCell: (cell) => snapshotCell(access, cell),
    recordAgentEnd: async (cell, note) => recordAgentEnd(commonDir, requireCellGitFolders(access, cell).id, note),
    listPreparedPaths: async (cell) => listPreparedPaths(access, cell),
    recordPreparedPaths: async (cell, paths, globs = []) => {
      await recordPreparedPaths(access, cell, { paths, globs });
      await recordPreparedSubmodules(access, cell);
    },
    restoreWorktree: (cell) => recreateCellWorktree(access, cell),
    restoreTracked: (cell, paths) => restoreTracked(access, cell, paths),
    rescueCell: (cell, init) => commitCellRescue(access, cell, init),
    readCommitMadeForAgent: async (cell) => readCommitMadeForAgent(access, cell),
    commitLeftovers: (cell, paths, init) => commitLeftovers(access, cell, paths, init),
    startMergeIn: (cell, commit) => startMergeInCell(access, cell, commit),
    importCell,
    acceptCell: async (cell, tip) => {
      await importCell(cell, tip);
      await discardCell(cell);
    },
    discardCell,
    handWorktreeToPerson: (cell) => handWorktreeToPerson(access, cell),
    isWorktreeHandedToPerson: (cell) => isHandedToPerson(access, cell),
    markCellReported: async (cell) => markCellReported(commonDir, requireCellGitFolders(access, cell).id),
    personCommit: (cell) => findCommitMadeByPerson(access, cell),
    diffCell: (cell) => diffCell(access, cell),
    removeUnfinishedCells: async () => {
      removeUnfinishedObjects(join(commonDir, 'objects'));
      await finishKilledTries(commonDir);
      const removed = await removeUnfinishedCells(commonDir, {
        keepCommits: (cell, owner) => restoreIfOnlyCommitsLeft(access, cell, owner),
        onStep,
      });
      for (const cell of (await listCells(commonDir)).filter(({ owner }) => owner === 'gone'))
        await handWorktreeToPerson(access, cell).catch(unlessCell);
      return removed;
    },
  };
}

/** A worktree that can't be read stays as it is. */
function unlessCell(error: unknown): void {
  if (!(error instanceof FlameError)) throw error;
}
