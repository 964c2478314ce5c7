import { join } from 'node:path';
import { type GitLimits, gitLimits, type WorkBounds, workBounds } from '../domain/config/work-bounds.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { CellWorktree, FilteredPath, GitPort, Quarantine } from '../domain/ports/git-port.ts';
import { killPoint } from '../util/kill-point.ts';
import { addCell } from './cells/add-cell.ts';
import { commitLeftovers, readMade } from './cells/commit-leftovers.ts';
import { importObjects, type StepObserver } from './cells/import-objects.ts';
import { markPrepared, readLeftovers } from './cells/leftovers.ts';
import { noteCellEnd, readCell } from './cells/paths.ts';
import { listCells, recoverQuarantines } from './cells/recover-quarantines.ts';
import { removeCell } from './cells/remove-cell.ts';
import { rescueCell } from './cells/rescue-cell.ts';
import { snapshotCell } from './cells/snapshot-cell.ts';
import { markPreparedSubmodules } from './cells/submodules.ts';
import { verifyObjects } from './cells/verify-objects.ts';
import { onVerified, pathsOf, readCellHead } from './cells/view.ts';
import { readChangedFiles } from './diff/changed-files.ts';
import { readDiffStat, readDiffText, readFileStats } from './diff/diff-commits.ts';
import { readPatch } from './diff/read-patch.ts';
import { readContent, readTexts } from './diff/read-texts.ts';
import { readTreeChanges } from './diff/tree-changes.ts';
import { commitGraph } from './objects/commit-graph.ts';
import { commitTree } from './objects/commit-tree.ts';
import { exportCommit } from './objects/export-commit.ts';
import { type GitAccess, inWorkTree, onObjects, withVariables } from './objects/git-access.ts';
import { listFiles } from './objects/list-files.ts';
import { listSubmodules } from './objects/list-submodules.ts';
import { removeDeadObjects } from './objects/loose-object.ts';
import { mergeTree } from './objects/merge-tree.ts';
import { type ObjectSource, verifiedObjects } from './objects/object-source.ts';
import { readCommit, readCommitsBetween } from './objects/read-commits.ts';
import { readSignature, type Signature } from './objects/read-signature.ts';
import { repackLoose } from './objects/repack-loose.ts';
import { replay } from './objects/replay.ts';
import { isSigning, signCommit } from './objects/sign-commit.ts';
import { CatFile } from './process/cat-file.ts';
import { discoverRepository } from './process/discover-repository.ts';
import { readInertDrivers } from './process/inert-drivers.ts';
import { readIdentity } from './process/read-identity.ts';
import type { GitContext } from './process/run-git.ts';
import { readHead, resolveCommit } from './refs/head-state.ts';
import { listRefs } from './refs/list-refs.ts';
import { advanceObstacles } from './worktrees/advance-obstacles.ts';
import { advanceWorktree } from './worktrees/advance-worktree.ts';
import { readBranchUses } from './worktrees/branch-uses.ts';
import { readChangedTracked, readDirtyPaths } from './worktrees/dirty-paths.ts';
import { filesInTheWay } from './worktrees/files-in-the-way.ts';
import { listFiltered } from './worktrees/filtered-paths.ts';
import { addPersonWorktree, detachWorktree, removePersonWorktree } from './worktrees/person-worktree.ts';
import { placedWorktrees } from './worktrees/placed-worktrees.ts';
import { restoreTracked } from './worktrees/restore-tracked.ts';
import { startMerge } from './worktrees/start-merge.ts';

export interface OpenOptions {
  /** What an agent's work may come to; tests lower it. */
  readonly bounds?: Partial<WorkBounds>;
  readonly limits?: Partial<GitLimits>;
  /** Aborts when the person stops the program, and when they do so again. */
  readonly signal?: AbortSignal | undefined;
  readonly hurry?: AbortSignal | undefined;
}

/** Opens the repository a command runs in. Throws the FlameErrors of discoverRepository. */
export async function openGit(
  context: GitContext,
  onStep: StepObserver = killPoint,
  options: OpenOptions = {},
): Promise<GitPort> {
  const repository = await discoverRepository(context);
  let drivers: Promise<Readonly<Record<string, string>>> | undefined;
  const submodules = new Map<ObjectId, Promise<readonly string[]>>();
  let signature: Promise<Signature> | undefined;
  const access: GitAccess = {
    context: { cwd: context.cwd, env: context.env },
    repository,
    objects: new CatFile(context, repository.commonDir),
    signature: () => (signature ??= readSignature(whereThePersonIs(access), repository.commonDir)),
    submodules: (commit) => {
      const known = submodules.get(commit) ?? listSubmodules(onObjects(access), commit);
      submodules.set(commit, known);
      return known;
    },
    inertDrivers: () => (drivers ??= readInertDrivers(onObjects(access))),
    bounds: { ...workBounds, ...options.bounds },
    measured: new Set(),
    guard: {
      limits: { ...gitLimits, ...options.limits },
      signal: options.signal,
      hurry: options.hurry,
    },
  };
  return { ...readers(access), ...cells(access, onStep), repository, close: () => access.objects.close() };
}

type CellPart =
  | 'addCellWorktree'
  | 'addScratchWorktree'
  | 'cells'
  | 'findCell'
  | 'cellHead'
  | 'cellLeftovers'
  | 'snapshotCell'
  | 'markPrepared'
  | 'restoreTracked'
  | 'noteEnd'
  | 'rescueCell'
  | 'cellMade'
  | 'commitLeftovers'
  | 'startMergeIn'
  | 'importCell'
  | 'acceptCell'
  | 'discardCell'
  | 'recoverCells';

function readers(access: GitAccess): Omit<GitPort, CellPart | 'repository' | 'close'> {
  const { repository } = access;
  const objects = onObjects(access);
  const here = whereThePersonIs(access);
  const filtered = new Map<ObjectId, Promise<readonly FilteredPath[]>>();
  /** Objects of a quarantine are read after they were verified, from where the agent can't change them. */
  const reading = async (tip: ObjectId, quarantine?: Quarantine): Promise<[GitContext, ObjectSource]> => {
    if (quarantine === undefined) return [objects, access.objects];
    const intake = await verifyObjects(access, quarantine, tip);
    return [onVerified(access, intake), verifiedObjects(access.objects, intake)];
  };
  return {
    head: (workTree) => readHead(inWorkTree(access, workTree)),
    resolveCommit: (revision) => resolveCommit(here, revision, access.objects),
    identity: () => readIdentity(here),
    dirtyPaths: async (workTree) => readDirtyPaths(await seeing(access, workTree)),
    changedTracked: async (workTree) => readChangedTracked(await seeing(access, workTree)),
    ...commitGraph(objects),
    addPersonWorktree: (path, init) => addPersonWorktree(access, path, init),
    detachWorktree: (path) => detachWorktree(access, path),
    removePersonWorktree: (path) => removePersonWorktree(access, path),
    readCommit: async (commit, quarantine) => readCommit(...(await reading(commit, quarantine)), commit),
    commitsBetween: async (base, tip, quarantine) =>
      readCommitsBetween(...(await reading(tip, quarantine)), base, tip),
    changedFiles: async (base, tip, quarantine) =>
      readChangedFiles(...(await reading(tip, quarantine)), base, tip),
    treeChanges: async (base, tip, quarantine) =>
      readTreeChanges((await reading(tip, quarantine))[1], base, tip),
    diffStat: (base, tip) => readDiffStat(objects, base, tip),
    fileStats: (base, tip) => readFileStats(objects, base, tip),
    diffText: (base, tip, options) => readDiffText(objects, base, tip, options),
    readPatch: (base, tip) => readPatch(objects, access.objects, base, tip),
    readTexts: async (commit, paths, quarantine) =>
      readTexts((await reading(commit, quarantine))[1], commit, paths),
    readContent: async (blob, tip, quarantine) => readContent((await reading(tip, quarantine))[1], blob),
    listFiles: (commit, limit) => listFiles(objects, commit, limit),
    // In the person's work tree, for the merge attributes checked out there, such as union for a changelog.
    mergeTree: async (ours, theirs) =>
      mergeTree(withVariables(here, await access.inertDrivers()), ours, theirs),
    replay: async (onto, start, tip) =>
      replay(access, withVariables(here, await access.inertDrivers()), { onto, start, tip }),
    commitTree: (init) => commitTree(access, join(repository.commonDir, 'objects'), init),
    commitSigned: async (init) =>
      (await isSigning(here))
        ? signCommit(here, init)
        : commitTree(access, join(repository.commonDir, 'objects'), init),
    worktrees: () => placedWorktrees(access),
    branchUses: (branch) => readBranchUses(access, branch),
    submodules: (commit) => access.submodules(commit),
    filteredPaths: (commit, paths) => {
      if (paths !== undefined) return listFiltered(access, commit, paths);
      const known = filtered.get(commit) ?? listFiltered(access, commit);
      filtered.set(commit, known);
      return known;
    },
    tidy: () => repackLoose(objects, repository.commonDir),
    filesInTheWay: (workTree, from, to) => filesInTheWay(inWorkTree(access, workTree), from, to),
    advanceObstacles: async (workTree, from, to) => {
      const own = inWorkTree(access, workTree);
      return advanceObstacles(own, withVariables(own, await access.inertDrivers()), { from, to });
    },
    listRefs: (prefix) => listRefs(objects, prefix),
    exportCommit: (commit, folder) => exportCommit(access, commit, folder),
    advanceWorktree: (workTree, from, to) => bringAlong(access, workTree, { from, to }),
  };
}

async function bringAlong(
  access: GitAccess,
  workTree: string,
  move: { readonly from: ObjectId; readonly to: ObjectId },
): ReturnType<GitPort['advanceWorktree']> {
  killPoint('work tree to bring along');
  const inertDrivers = await access.inertDrivers();
  const { commonDir } = access.repository;
  const outcome = await advanceWorktree(inWorkTree(access, workTree), { ...move, inertDrivers, commonDir });
  killPoint('work tree brought along');
  return outcome;
}

/**
 * git that sees what changed in the person's work tree: without their filters, which could be made to run what
 * an agent wrote, unless files look changed only for the want of them.
 */
async function seeing(access: GitAccess, workTree: string): Promise<GitContext> {
  const [own, drivers] = [inWorkTree(access, workTree), await access.inertDrivers()];
  if (drivers.GIT_CONFIG_COUNT === '0') return own;
  const quiet = withVariables(own, drivers);
  return (await readChangedTracked(quiet)).length === 0 ? quiet : own;
}

function whereThePersonIs(access: GitAccess): GitContext {
  const { workTree } = access.repository;
  return workTree === null ? onObjects(access) : inWorkTree(access, workTree);
}

function cells(access: GitAccess, onStep: StepObserver): Pick<GitPort, CellPart> {
  const { commonDir } = access.repository;
  const importCell = async (cell: CellWorktree, tip: ObjectId): Promise<void> => {
    const intake = await verifyObjects(access, cell.quarantine, tip);
    onStep('verified');
    await importObjects(intake, join(commonDir, 'objects'), tip, onStep);
  };
  const discardCell = (cell: CellWorktree): Promise<void> =>
    removeCell(commonDir, pathsOf(access, cell).id, cell.path, onStep);
  return {
    addCellWorktree: (path, start, subject, base = start) =>
      addCell(access, path, { start, base, subject: subject ?? null }),
    addScratchWorktree: (path, commit) =>
      addCell(access, path, { start: commit, base: commit, subject: null }),
    cells: async () => listCells(commonDir),
    findCell: async (path) => {
      const found = listCells(commonDir).find((cell) => cell.path === path);
      return found === undefined ? null : readCell(commonDir, pathsOf(access, found).id);
    },
    cellHead: (cell) => readCellHead(access, cell),
    cellLeftovers: (cell) => readLeftovers(access, cell),
    snapshotCell: (cell) => snapshotCell(access, cell),
    noteEnd: async (cell, note) => noteCellEnd(commonDir, pathsOf(access, cell).id, note),
    markPrepared: async (cell, paths) => {
      markPrepared(access, cell, paths);
      await markPreparedSubmodules(access, cell);
    },
    restoreTracked: (cell, paths) => restoreTracked(access, cell, paths),
    rescueCell: (cell, init) => rescueCell(access, cell, init),
    cellMade: async (cell) => readMade(access, cell),
    commitLeftovers: (cell, paths, message, author) =>
      commitLeftovers(access, cell, paths, { message, author }),
    startMergeIn: (cell, commit) => startMerge(access, cell, commit),
    importCell,
    acceptCell: async (cell, tip) => {
      await importCell(cell, tip);
      await discardCell(cell);
    },
    discardCell,
    recoverCells: async () => {
      removeDeadObjects(join(commonDir, 'objects'));
      return recoverQuarantines(commonDir, onStep);
    },
  };
}
