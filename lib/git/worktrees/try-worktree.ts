import { copyFileSync, existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type ObjectId, parseObjectId, parseSessionId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type { OwnWorkInTry, TryWorktree, TryWorktreeSubject } from '../../domain/ports/git-try-worktrees.ts';
import { isJsonRecord, parseJsonRecord } from '../../util/json.ts';
import { killPoint } from '../../util/kill-point.ts';
import { ownIdentity, type ProcessIdentity, parseIdentity, processState } from '../../util/process-identity.ts';
import { fileStamp, listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { removeTree } from '../../util/remove-tree.ts';
import { replaceFile } from '../../util/write-files.ts';
import { removeCell } from '../cells/add-cell.ts';
import { buildCellGitFolders, cellsFolder, readCellOwnerState, withAllCellsLock } from '../cells/cell-git-folders.ts';
import { addToRecord, readRecord } from '../cells/cell-record.ts';
import { areHooksInWorkTree, handWorktreeToPerson } from '../cells/hand-to-person.ts';
import { requireCellGitFolders } from '../cells/tool-index.ts';
import { type GitAccess, gitInWorkTree, gitOnObjects } from '../objects/git-access.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { readHead } from '../refs/resolve-commit.ts';
import { listChangesInTry, type PreparedPaths, readPreparedPaths } from './list-changes-in-try.ts';
import { inCommonDir, removePersonWorktree } from './person-worktree.ts';

/** In the worktree's own git folder, which git removes with it. */
const factsFile = 'blueflame-try';

interface RecordedTry extends TryWorktree {
  readonly gitDir: string;
  /** See readPreparedPaths. */
  readonly prepared: PreparedPaths;
  /** Its removal has begun: what is missing in it was not removed by the person. */
  readonly isLeaving: boolean;
  /** The process that makes it; null: it was handed over. */
  readonly maker: ProcessIdentity | null;
}

/** Reads which worktrees there are to try changesets in. Starts no process. */
export function readTryWorktrees(commonDir: string): readonly TryWorktree[] {
  return readRecorded(commonDir).map(({ path, session, group, changeset, commit, base }) => {
    return { path, session, group, changeset, commit, base };
  });
}

function readRecorded(commonDir: string): readonly RecordedTry[] {
  const folder = join(commonDir, 'worktrees');
  return listNamesIn(folder).flatMap((name) => {
    const gitDir = join(folder, name);
    const facts = parseFacts(parseJsonRecord(readTextOrEmpty(join(gitDir, factsFile))));
    const link = readTextOrEmpty(join(gitDir, 'gitdir')).trim();
    if (facts === null || facts.maker !== null || link === '') return [];
    const tried = { ...facts, gitDir, path: dirname(resolve(gitDir, link)) };
    return isThere(tried) || (tried.isLeaving && existsSync(tried.path)) ? [tried] : [];
  });
}

function parseFacts(facts: Readonly<Record<string, unknown>>): Omit<RecordedTry, 'gitDir' | 'path'> | null {
  const { session, group, changeset, commit, base, prepared, leaving, maker = null } = facts;
  if (typeof group !== 'string' || typeof changeset !== 'string') return null;
  try {
    return {
      session: parseSessionId(`${session}`),
      group,
      changeset,
      commit: parseObjectId(`${commit}`),
      base: parseObjectId(`${base}`),
      prepared: isJsonRecord(prepared) ? prepared : {},
      isLeaving: leaving === true,
      maker: parseIdentity(JSON.stringify(maker)),
    };
  } catch {
    return null;
  }
}

function writeFacts({ gitDir, path: _, isLeaving: leaving, ...facts }: RecordedTry): void {
  replaceFile(join(gitDir, factsFile), `${JSON.stringify({ ...facts, leaving })}\n`);
}

/**
 * Finishes what a killed process began: a worktree that was handed over is no cell's any more; of one that wasn't, what
 * git made for it goes, and its files go with the cell.
 */
export async function finishKilledTries(commonDir: string): Promise<void> {
  const folder = join(commonDir, 'worktrees');
  for (const { path } of readRecorded(commonDir)) {
    const { root } = buildCellGitFolders(commonDir, basename(path));
    const record = readRecord(root);
    if (record.worktree === path && readCellOwnerState(record) === 'gone') addToRecord(root, { worktree: '' });
  }
  for (const gitDir of listNamesIn(folder).map((name) => join(folder, name))) {
    const maker = parseFacts(parseJsonRecord(readTextOrEmpty(join(gitDir, factsFile))))?.maker ?? null;
    const link = readTextOrEmpty(join(gitDir, 'gitdir')).trim();
    const isLost = link.startsWith(`${cellsFolder(commonDir)}/`) && !existsSync(link);
    if (isLost || (maker !== null && processState(maker) === 'gone')) await removeTree(gitDir);
  }
}

/** Whether git finds this very worktree at its path. */
function isThere({ gitDir, path }: Pick<RecordedTry, 'gitDir' | 'path'>): boolean {
  const [, target = ''] = /^gitdir: (.+)\n?$/.exec(readTextOrEmpty(join(path, '.git'))) ?? [];
  return target !== '' && realPathEvenIfMissing(resolve(path, target)) === realPathEvenIfMissing(gitDir);
}

/**
 * See GitTryWorktrees. git itself makes the worktree's folder for HEAD, index and logs, as its refs need it; until
 * `.git` leads there, the next start clears all of it as any scratch worktree whose process is gone.
 */
export async function turnIntoTryWorktree(
  access: GitAccess,
  cell: CellWorktree,
  subject: TryWorktreeSubject,
): Promise<TryWorktree & { readonly runsHooks: boolean }> {
  const { commonDir } = access.repository;
  const { id, root, listing } = requireCellGitFolders(access, cell);
  const { path } = cell;
  await handWorktreeToPerson(access, cell, { mayRunHooks: true });
  const prepared = await readPreparedPaths(access, path);
  const gitDir = await registerWorktree(access, { place: join(root, 'try', basename(path)), commit: cell.start });
  copyFileSync(join(listing, 'index'), join(gitDir, 'index'));
  const facts = { ...subject, path, gitDir, prepared, isLeaving: false };
  writeFacts({ ...facts, maker: ownIdentity() });
  writeFileSync(join(gitDir, 'gitdir'), `${join(path, '.git')}\n`);
  killPoint('worktree to try registered');
  replaceFile(join(path, '.git'), `gitdir: ${gitDir}\n`);
  writeFacts({ ...facts, maker: null });
  killPoint('worktree to try linked');
  // From here on the record names no folder: what goes with it is the tool's own.
  addToRecord(root, { worktree: '' });
  killPoint('worktree to try released');
  await removeCell(commonDir, id, null);
  return { ...subject, path, runsHooks: await areHooksInWorkTree(access) };
}

/** Has git make the folder of a worktree; the one it was made for goes with the cell. */
async function registerWorktree(
  access: GitAccess,
  { place, commit }: { readonly place: string; readonly commit: ObjectId },
): Promise<string> {
  const args = ['worktree', 'add', '--quiet', '--detach', '--no-checkout', place, commit];
  await withAllCellsLock(access.repository.commonDir, () => runGit(inCommonDir(access), args));
  const link = readTextOrEmpty(join(place, '.git')).trim();
  return resolve(place, link.slice('gitdir: '.length));
}

/** See GitTryWorktrees. Commits that HEAD left again count too. */
export async function findOwnWorkInTry(
  access: GitAccess,
  { path }: Pick<TryWorktree, 'path'>,
  changedTracked: (workTree: string, variables: GitContext['variables']) => Promise<readonly string[]>,
): Promise<OwnWorkInTry> {
  const tried = requireRecorded(access, path);
  // Removed in part: git finds no worktree there any more.
  if (!isThere(tried)) return { changes: [], ignored: [], commits: [], isAsMade: true };
  const { ignored, ...found } = await listChangesInTry(access, tried, changedTracked);
  const changes = found.changes.filter((name) => !isRemoved(tried, name));
  const git = gitInWorkTree(access, path);
  const head = await readHead(git);
  const { stdout } = await runGit(git, ['reflog', 'show', '--format=%H', 'HEAD'], { accept: [0, 128] });
  const seen = stdout.toString().split('\n').filter(Boolean);
  const tips = [...new Set([...(head.commit === null ? [] : [head.commit]), ...seen])];
  const range = ['--max-count=20', ...tips, '--not', tried.commit, '--glob=refs/*'];
  const listed = tips.length === 0 ? '' : await runGitForText(gitOnObjects(access), ['rev-list', ...range]);
  const commits = listed.split('\n').filter(Boolean).map(parseObjectId);
  const isAsMade = changes.length + commits.length === 0 && head.branch === null && head.commit === tried.commit;
  return { changes, ignored, commits, isAsMade };
}

function isRemoved({ path, isLeaving }: RecordedTry, name: string): boolean {
  return isLeaving && lstatSync(join(path, name), { throwIfNoEntry: false }) === undefined;
}

/** See GitTryWorktrees; what a kill cut short goes on. */
export async function removeTryWorktree(access: GitAccess, { path }: Pick<TryWorktree, 'path'>): Promise<boolean> {
  const tried = requireRecorded(access, path);
  writeFacts({ ...tried, isLeaving: true });
  killPoint('worktree to try leaves');
  // Without them git finds nothing there that it would have to be forced to remove.
  const left = Object.entries(tried.prepared).filter(([name, stamp]) => stamp === fileStamp(join(path, name)));
  if (isThere(tried)) for (const [name] of left) rmSync(join(path, name), { force: true });
  else await removeTree(path);
  const isGone = await removePersonWorktree(access, path);
  if (!isGone) writeFacts({ ...tried, isLeaving: false });
  return isGone;
}

function requireRecorded({ repository }: GitAccess, path: string): RecordedTry {
  const found = readRecorded(repository.commonDir).find((one) => one.path === path);
  if (found === undefined) throw new Error(`no changeset is tried in ${path}`);
  return found;
}
