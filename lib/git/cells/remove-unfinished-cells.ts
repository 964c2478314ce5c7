import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CellInfo, CellWorktree } from '../../domain/ports/git-cells.ts';
import { readProcessStart } from '../../util/process-identity.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { removeTree } from '../../util/remove-tree.ts';
import { replaceFile } from '../../util/write-files.ts';
import { findGitProcesses } from '../refs/find-git-processes.ts';
import { cellRemovalSuffix, removeCell } from './add-cell.ts';
import {
  buildCellFromRecord,
  buildCellGitFolders,
  type CellGitFolders,
  cellsFolder,
  listFolders,
  parseUnfinishedCellMaker,
  readCellOwnerState,
  withAllCellsLock,
} from './cell-git-folders.ts';
import { addToRecord, type CellRecord, readRecord } from './cell-record.ts';
import { isDotGitOfCell, readDotGitFile } from './hand-to-person.ts';
import type { KillPointObserver } from './import-objects.ts';

const patienceMs = 10_000;

/**
 * Finishes removals that were cut short, and removes the rest of cells whose worktree is gone or was never finished.
 * Harmless at any time and again; cells an agent may have been in stay, and where its worktree is gone those for which
 * `restoreIfOnlyCommitsLeft` returns true. Returns the names of what it removed.
 */
export async function removeUnfinishedCells(
  commonDir: string,
  {
    keepCommits,
    onStep,
  }: {
    keepCommits(cell: CellWorktree, owner: CellInfo['owner']): Promise<boolean>;
    readonly onStep: KillPointObserver;
  },
): Promise<readonly string[]> {
  if (!existsSync(join(commonDir, 'blueflame'))) return [];
  return withAllCellsLock(commonDir, async () => {
    const removed: string[] = [];
    for (const name of listFolders(cellsFolder(commonDir))) {
      const maker = parseUnfinishedCellMaker(name);
      if (maker !== null) {
        if (readProcessStart(maker) === null) await removeTree(join(cellsFolder(commonDir), name));
        continue;
      }
      const isLeaving = name.endsWith(cellRemovalSuffix);
      const record = readRecord(join(cellsFolder(commonDir), name));
      const id = isLeaving ? name.slice(0, -cellRemovalSuffix.length) : name;
      const path = locateWorktree(commonDir, id, record);
      if (!isLeaving && !isAbandoned(commonDir, record, path)) {
        if (record.isReady && readCellOwnerState(record) !== 'alive') repairCell(commonDir, id, record);
        continue;
      }
      const wasAgents = !isLeaving && record.isReady && record.subject !== null && record.worktree !== null;
      if (wasAgents && (await keepCommits(buildCellFromRecord(commonDir, id, record), readCellOwnerState(record))))
        continue;
      // A cell of the same name made since then keeps its worktree.
      if (isLeaving && existsSync(buildCellGitFolders(commonDir, id).root))
        await removeTree(join(cellsFolder(commonDir), name));
      else await removeCell(commonDir, id, isLeaving || isOurs(commonDir, id, path) ? path : null, { onStep });
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
      id.endsWith(cellRemovalSuffix) || parseUnfinishedCellMaker(id) !== null
        ? null
        : readRecord(buildCellGitFolders(commonDir, id).root);
    if (record?.isReady !== true) continue;
    const path = locateWorktree(commonDir, id, record);
    if (path === null) continue;
    const cell = buildCellFromRecord(commonDir, id, { ...record, worktree: path });
    const { subject, ended } = record;
    cells.push({ ...cell, owner: readCellOwnerState(record), subject, ended: await readEnd(ended) });
  }
  return cells;
}

/** Where no agent has ended there is nothing to load what reads it for. */
async function readEnd(noted: unknown): Promise<CellInfo['ended']> {
  return noted === undefined ? null : (await import('./cell-end.ts')).parseAgentEndNote(noted);
}

/**
 * Nothing an agent wrote is in a cell without a worktree, nor in one that was cut short in the making. Where the
 * repository was moved, the worktree may be somewhere else.
 */
function isAbandoned(commonDir: string, record: CellRecord, path: string | null): boolean {
  const hasPlace = path !== null;
  if (record.isReady) return !hasPlace && !wasMoved(commonDir, record);
  // One that is being made has no worktree yet.
  const state = readCellOwnerState(record);
  return state === 'gone' || (state === 'unknown' && !hasPlace);
}

/** Whether a folder was made for this cell: a kill may have come before that was tried. */
function isOurs(commonDir: string, id: string, path: string | null): boolean {
  if (path === null || !existsSync(path)) return false;
  if (readdirSync(path).length === 0) return true;
  return isDotGitOfCell(buildCellGitFolders(commonDir, id), join(path, '.git'));
}

/** A git that died with its tool leaves the lock of our own index in a cell. One that outlived it is waited for. */
async function unlockCells(commonDir: string): Promise<void> {
  for (const { path, owner, quarantine } of await listCells(commonDir)) {
    if (owner !== 'gone') continue;
    const { ownGitDir } = buildCellGitFolders(commonDir, basename(quarantine.objectDir));
    const lock = join(ownGitDir, 'index.lock');
    const until = performance.now() + patienceMs;
    while (existsSync(lock) && findGitProcesses([path]).length > 0 && performance.now() < until) await wait(20);
    rmSync(lock, { force: true });
  }
}

async function removeOrphans(commonDir: string): Promise<string[]> {
  const orphans = listFolders(join(commonDir, 'blueflame', 'objects')).filter(
    (id) => !existsSync(buildCellGitFolders(commonDir, id).root),
  );
  for (const id of orphans) await removeCell(commonDir, id, null);
  return orphans;
}

/**
 * Finds the worktree of a cell: where it was made, where `git worktree repair` recorded it, or where it came along with
 * a repository that was moved; null: at none of these. A worktree of another repository's cell, as where a repository
 * was copied, doesn't count.
 */
function locateWorktree(commonDir: string, id: string, { worktree }: Pick<CellRecord, 'worktree'>): string | null {
  if (worktree === null) return null;
  const paths = buildCellGitFolders(commonDir, id);
  const known = [worktree, dirname(readTextOrEmpty(join(paths.listing, 'gitdir')).trim())];
  const mayBe = (path: string): boolean => existsSync(path) && linkState(paths, path) !== 'of another';
  const came = (path: string): boolean => ['ours', 'broken'].includes(linkState(paths, path));
  return (
    known.find((path) => basename(path) === id && mayBe(path)) ?? placesAlong(commonDir, worktree).find(came) ?? null
  );
}

/** Whether the repository was moved since a cell was made. */
function wasMoved(commonDir: string, { common }: CellRecord): boolean {
  return common !== null && realPathEvenIfMissing(common) !== realPathEvenIfMissing(commonDir);
}

/** Makes what binds a cell to its worktree lead where they are now. What an agent put in the place of a link stays. */
function repairCell(commonDir: string, id: string, record: CellRecord): void {
  const path = locateWorktree(commonDir, id, record);
  if (path === null) return;
  const paths = buildCellGitFolders(commonDir, id);
  const state = linkState(paths, path);
  if (record.worktree === path && state !== 'broken') return;
  for (const folder of [paths.listing, paths.agentGitDir])
    writeFileSync(join(folder, 'gitdir'), `${join(path, '.git')}\n`);
  const link = join(path, '.git');
  const [, tail = ''] = tailOf(id).exec(readLink(link)) ?? [];
  const target = tail.startsWith('/worktrees/')
    ? join(commonDir, tail)
    : join(paths.agentGitDir, tail.replace(/^.*\/git/, ''));
  if (state === 'broken') replaceFile(link, `gitdir: ${target}\n`);
  addToRecord(paths.root, { worktree: path, common: commonDir });
}

/** 'odd': it is no link of any cell of this name. */
function linkState(paths: CellGitFolders, path: string): 'ours' | 'broken' | 'of another' | 'odd' {
  const text = readLink(join(path, '.git'));
  const [whole, tail = ''] = tailOf(paths.id).exec(text) ?? [];
  if (whole === undefined) return 'odd';
  const common = text.slice('gitdir: '.length, -1 - tail.length);
  if (realPathEvenIfMissing(common) === realPathEvenIfMissing(dirname(dirname(paths.listing))))
    return common === dirname(dirname(paths.listing)) ? 'ours' : 'broken';
  return existsSync(buildCellGitFolders(common, paths.id).root) ? 'of another' : 'broken';
}

/** Matches what follows the common git directory in the `.git` of a cell, see handWorktreeToPerson. */
function tailOf(id: string): RegExp {
  const name = id.replace(/[.]/g, '\\.');
  return new RegExp(`(/blueflame/cells/${name}/git|/worktrees/${name}(?:/left-to-[a-z-]+)?)\\n$`);
}

/** '' where it is no such file. */
function readLink(link: string): string {
  const text = readDotGitFile(link) ?? '';
  return text.startsWith('gitdir: /') ? text : '';
}

/** Where a worktree would be that came along: below or beside the repository as it was, or in the folder of now. */
function placesAlong(commonDir: string, worktree: string): readonly string[] {
  const root = dirname(commonDir);
  const names = worktree.split('/').filter((name) => name !== '');
  const ends = names.map((_name, index) => names.slice(index).join('/')).reverse();
  return [
    ...[root, dirname(root)].flatMap((folder) => ends.map((end) => join(folder, end))),
    join(`${root}.trees`, basename(worktree)),
    join(`${commonDir.replace(/\.git$/, '')}.trees`, basename(worktree)),
  ];
}
