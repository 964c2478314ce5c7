import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ObjectId, parseObjectId, parseSessionId, parseTaskId } from '../../domain/ids.ts';
import type { CellSubject, CellWorktree, EndNote } from '../../domain/ports/git-cells.ts';
import { killPoint } from '../../util/kill-point.ts';
import { parseIdentity, processState } from '../../util/process-identity.ts';
import { isMissing } from '../../util/read-file.ts';
import { replaceFile } from '../../util/replace-file.ts';

/**
 * Where the parts of one cell lie below the common git directory. The agent can write three folders: its
 * worktree, `agentGitDir` and `objectDir`; all else is the tool's own and never read from those three
 * without a check.
 */
export interface CellPaths {
  readonly id: string;
  /** Its existence is the cell's; renamed to `<root>.removing` as the first step of removal. */
  readonly root: string;
  /** What the worktree's `.git` file points to: the agent's HEAD and index. */
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

export function cellPaths(commonDir: string, id: string): CellPaths {
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

/** In a cell's record: which process made it; and that it was finished, so that an agent may have been in it. */
export const ownerFile = 'owner';
export const readyFile = 'ready';
/** What the work in it is for; scratch worktrees have none. */
export const subjectFile = 'subject';
export const baseFile = 'base';

/** What a cell's work is for; null where its record names nothing. */
export function cellSubject(commonDir: string, id: string): CellSubject | null {
  try {
    const text = readFileSync(join(cellPaths(commonDir, id).root, subjectFile), 'utf8');
    const { session, task }: Record<string, unknown> = JSON.parse(text);
    return { session: parseSessionId(`${session}`), task: parseTaskId(`${task}`) };
  } catch {
    return null;
  }
}

const endedFile = 'ended';

/** Notes that the agent in a cell is over and did well. */
export function noteCellEnd(commonDir: string, id: string, note: EndNote): void {
  replaceFile(cellEndFile(commonDir, id), JSON.stringify(note));
  killPoint('end of the agent noted');
}

/** Where that is noted. */
export function cellEndFile(commonDir: string, id: string): string {
  return join(cellPaths(commonDir, id).root, endedFile);
}

/** Whether a cell was not told of yet; it is from then on. */
export function isNews(commonDir: string, id: string): boolean {
  try {
    writeFileSync(join(cellPaths(commonDir, id).root, 'told'), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Whether the process that made a cell still lives; 'unknown' of a cell whose record doesn't say. */
export function cellOwner(commonDir: string, id: string): ReturnType<typeof processState> {
  try {
    const owner = parseIdentity(readFileSync(join(cellPaths(commonDir, id).root, ownerFile), 'utf8'));
    return owner === null ? 'unknown' : processState(owner);
  } catch {
    return 'unknown';
  }
}

/** The cell as its record on disk describes it. Throws if the record is incomplete. */
export function readCell(commonDir: string, id: string): CellWorktree {
  const paths = cellPaths(commonDir, id);
  const start = parseObjectId(readFileSync(join(paths.root, 'start'), 'utf8'));
  return {
    path: readFileSync(join(paths.root, 'worktree'), 'utf8'),
    start,
    base: readBase(paths) ?? start,
    quarantine: {
      objectDir: paths.objectDir,
      alternates: [join(commonDir, 'objects')],
      worktreeGitDir: paths.agentGitDir,
    },
  };
}

/** null: an earlier version made the record. */
function readBase({ root }: CellPaths): ObjectId | null {
  const file = join(root, baseFile);
  return existsSync(file) ? parseObjectId(readFileSync(file, 'utf8')) : null;
}

/** Names of the folders below `folder`; none if it's not there. */
export function listFolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
