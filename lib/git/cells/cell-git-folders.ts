import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEndNote, CellWorktree } from '../../domain/ports/git-cells.ts';
import { killPoint } from '../../util/kill-point.ts';
import { withLock } from '../../util/owned-lock.ts';
import { processState } from '../../util/process-identity.ts';
import { isMissingFileError } from '../../util/read-file.ts';
import { addToRecord, type CellRecord } from './cell-record.ts';

/**
 * Where the parts of one cell lie below the common git directory. The agent can write three folders: its
 * worktree, `agentGitDir` and `objectDir`; all else is the tool's own and never read from those three
 * without a check.
 */
export interface CellGitFolders {
  readonly id: string;
  /** Its existence is the cell's; renamed to `<root>.removing` as the first step of removal. */
  readonly root: string;
  /** The folder the worktree's `.git` file points to: the agent's HEAD and index. */
  readonly agentGitDir: string;
  /** HEAD and index of the tool's own view of the worktree. */
  readonly ownGitDir: string;
  /** Verified objects that may enter the repository. */
  readonly intake: string;
  /** The agent's private object folder. */
  readonly objectDir: string;
  /** `<common>/worktrees/<id>`: see add-cell.ts. */
  readonly listing: string;
}

export function buildCellGitFolders(commonDir: string, id: string): CellGitFolders {
  const root = join(cellsFolder(commonDir), id);
  return {
    id,
    root,
    agentGitDir: join(root, 'git'),
    ownGitDir: join(root, 'own'),
    intake: join(root, 'intake'),
    objectDir: join(commonDir, 'blueflame', 'objects', id),
    listing: join(commonDir, 'worktrees', id),
  };
}

export function cellsFolder(commonDir: string): string {
  return join(commonDir, 'blueflame', 'cells');
}

/** A cell's folder while its record is made; the process that makes it is named. */
export function unfinishedCellFolder(root: string): string {
  return `${root}.${process.pid}.new`;
}

/** Whether a folder among the cells is one that is being made, or whose maker was killed then. */
export function parseUnfinishedCellMaker(name: string): number | null {
  const pid = /\.(\d+)\.new$/.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** Notes that the agent in a cell is over and did well. */
export function recordAgentEnd(commonDir: string, id: string, note: AgentEndNote): void {
  addToRecord(buildCellGitFolders(commonDir, id).root, { ended: note });
  killPoint('end of the agent noted');
}

/** Whether a cell was not reported yet; marks it as reported. */
export function markCellReported(commonDir: string, id: string): boolean {
  try {
    writeFileSync(join(buildCellGitFolders(commonDir, id).root, 'reported'), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Whether the process that made a cell still lives; 'unknown' of a cell whose record doesn't say. */
export function readCellOwnerState({ owner }: Pick<CellRecord, 'owner'>): ReturnType<typeof processState> {
  return owner === null ? 'unknown' : processState(owner);
}

/** The cell as its record describes it. Throws if the record is incomplete. */
export function buildCellFromRecord(commonDir: string, id: string, record: CellRecord): CellWorktree {
  const paths = buildCellGitFolders(commonDir, id);
  const { worktree, start, base } = record;
  if (worktree === null || start === null || base === null)
    throw new Error(`the record in ${paths.root} is incomplete`);
  return {
    path: worktree,
    start,
    base,
    quarantine: {
      objectDir: paths.objectDir,
      alternates: [join(commonDir, 'objects')],
      worktreeGitDir: paths.agentGitDir,
    },
  };
}

/** Names of the folders below `folder`; none if it's not there. */
export function listFolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (isMissingFileError(error)) return [];
    throw error;
  }
}

// Of the process: callers in it wait here, in turn, instead of for each other's lock file.
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `work` while no other caller, of this process or another, clears cells or adds worktrees. The work must be
 * short: a holder of whom nothing is known is taken for dead after five seconds.
 */
export function withAllCellsLock<T>(commonDir: string, work: () => T | Promise<T>): Promise<T> {
  const options = { staleMs: 5_000, retries: { retries: 600, factor: 1.2, minTimeout: 5, maxTimeout: 100 } };
  const turn = last.then(() => withLock(join(commonDir, 'blueflame', 'cells.lock'), options, work));
  last = turn.catch(() => undefined);
  return turn;
}
