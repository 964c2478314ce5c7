import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type ObjectId, objectIdPattern, parseObjectId, parseSessionId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import type {
  OwnWorkInTry,
  TryRemoval,
  TryWorktree,
  TryWorktreeSubject,
} from '../../domain/ports/git-try-worktrees.ts';
import { isJsonRecord, parseJsonRecord } from '../../util/json.ts';
import { killPoint } from '../../util/kill-point.ts';
import { ownIdentity, type ProcessIdentity, parseIdentity, processState } from '../../util/process-identity.ts';
import { listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { removeEmptyTrees, removeTree } from '../../util/remove-tree.ts';
import { replaceFile } from '../../util/write-files.ts';
import { cellRemovalSuffix, removeCell } from '../cells/add-cell.ts';
import { buildCellGitFolders, cellsFolder, readCellOwnerState, withAllCellsLock } from '../cells/cell-git-folders.ts';
import { addToRecord, readRecord } from '../cells/cell-record.ts';
import { areHooksInWorkTree, handWorktreeToPerson } from '../cells/hand-to-person.ts';
import { requireCellGitFolders } from '../cells/tool-index.ts';
import { type GitAccess, gitInWorkTree, gitOnObjects } from '../objects/git-access.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { readHead } from '../refs/resolve-commit.ts';
import { listChangesInTry, type PreparedPaths, readPreparedPaths } from './list-changes-in-try.ts';
import { findSubmodules, inCommonDir } from './person-worktree.ts';

/** In the worktree's own git folder, which git removes with it. */
const factsFile = 'blueflame-try';

interface RecordedTry extends TryWorktree {
  readonly gitDir: string;
  /** See readPreparedPaths. */
  readonly prepared: PreparedPaths;
  /** Where it is moved to be removed, so that what the person makes at its path is never taken for it. */
  readonly leaving: string | null;
  /** The process that makes or removes it; null: it was handed over. */
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
    if (facts === null || (facts.maker !== null && facts.leaving === null) || link === '') return [];
    const tried = { ...facts, gitDir, path: dirname(resolve(gitDir, link)) };
    return isThere(tried) ? [tried] : [];
  });
}

function parseFacts(facts: Readonly<Record<string, unknown>>): Omit<RecordedTry, 'gitDir' | 'path'> | null {
  const { session, group, changeset, commit, base, prepared, leaving = null, maker = null } = facts;
  if (typeof group !== 'string' || typeof changeset !== 'string') return null;
  try {
    return {
      session: parseSessionId(`${session}`),
      group,
      changeset,
      commit: parseObjectId(`${commit}`),
      base: parseObjectId(`${base}`),
      prepared: isJsonRecord(prepared) ? prepared : {},
      leaving: typeof leaving === 'string' ? leaving : null,
      maker: parseIdentity(JSON.stringify(maker)),
    };
  } catch {
    return null;
  }
}

function writeFacts({ gitDir, path: _, ...facts }: RecordedTry): void {
  replaceFile(join(gitDir, factsFile), `${JSON.stringify(facts)}\n`);
}

/**
 * Finishes what a killed process began: a worktree that was handed over is no cell's any more; of one that wasn't, what
 * git made for it goes, and its files go with the cell; one that was moved away goes.
 */
export async function finishKilledTries(commonDir: string): Promise<void> {
  const folder = join(commonDir, 'worktrees');
  const known = readRecorded(commonDir);
  for (const { path } of known) {
    const { root } = buildCellGitFolders(commonDir, basename(path));
    const record = readRecord(root);
    if (record.worktree === path && readCellOwnerState(record) === 'gone') addToRecord(root, { worktree: '' });
  }
  for (const gitDir of listNamesIn(folder).map((name) => join(folder, name))) {
    const { maker = null, leaving = null } =
      parseFacts(parseJsonRecord(readTextOrEmpty(join(gitDir, factsFile)))) ?? {};
    const link = readTextOrEmpty(join(gitDir, 'gitdir')).trim();
    const isLost = link.startsWith(`${cellsFolder(commonDir)}/`) && !existsSync(link);
    const isCut = maker !== null && processState(maker) === 'gone' && !known.some((one) => one.gitDir === gitDir);
    if (isCut && leaving !== null) await removeMoved({ gitDir, leaving }).catch(() => undefined);
    else if (isLost || isCut) await removeTree(gitDir);
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
  const facts = { ...subject, path, gitDir, prepared, leaving: null };
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
  // With a log, also where the person's settings ask for none: commits that its HEAD left are found in it.
  const log = ['-c', 'core.logAllRefUpdates=true'];
  const args = [...log, 'worktree', 'add', '--quiet', '--detach', '--no-checkout', place, commit];
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
  const { changes, ignored } = await listChangesInTry(access, tried, changedTracked);
  const git = gitInWorkTree(access, path);
  const head = await readHead(git);
  const tips = [...(head.commit === null ? [] : [head.commit]), ...(await listTips(git, tried.gitDir))];
  const range = ['--max-count=20', '--ignore-missing', ...tips, '--not', tried.commit, '--glob=refs/*'];
  const found = tips.length === 0 ? '' : await runGitForText(gitOnObjects(access), ['rev-list', ...range]);
  const commits = found.split('\n').filter(Boolean).map(parseObjectId);
  const isAsMade = changes.length + commits.length === 0 && head.branch === null && head.commit === tried.commit;
  return { changes, ignored, commits, isAsMade };
}

/** Commits that a worktree alone may hold: where its HEAD was, of its own refs, and what an operation set aside. */
async function listTips(git: GitContext, gitDir: string): Promise<readonly string[]> {
  const log = await runGit(git, ['reflog', 'show', '--format=%H', 'HEAD'], { accept: [0, 128] });
  const refs = ['refs/worktree', 'refs/bisect', 'refs/rewritten'];
  const own = await runGit(git, ['for-each-ref', '--format=%(objectname)', ...refs]);
  const aside = ['MERGE_AUTOSTASH', 'rebase-merge/autostash', 'rebase-apply/autostash'];
  const texts = [log.stdout, own.stdout, ...aside.map((name) => readTextOrEmpty(join(gitDir, name)))];
  return texts
    .join('\n')
    .split('\n')
    .filter((text) => objectIdPattern.test(text));
}

/** See GitTryWorktrees. */
export async function removeTryWorktree(access: GitAccess, { path }: Pick<TryWorktree, 'path'>): Promise<TryRemoval> {
  const tried = requireRecorded(access, path);
  const { gitDir } = tried;
  if (existsSync(join(gitDir, 'locked'))) return 'locked';
  if ((await findSubmodules(gitInWorkTree(access, path), gitDir)) === 'filled') return 'submodules';
  const leaving = `${path}.${randomUUID().slice(0, 8)}`;
  writeFacts({ ...tried, leaving, maker: ownIdentity() });
  killPoint('worktree to try leaves');
  try {
    renameSync(path, leaving);
  } catch {
    writeFacts({ ...tried, leaving: null, maker: null });
    return 'not moved';
  }
  killPoint('worktree to try moved away');
  await removeMoved({ gitDir, leaving });
  return 'removed';
}

/** Its git folder last, and in one step: half of one would make `git worktree list` complain. */
async function removeMoved({ gitDir, leaving }: { readonly gitDir: string; readonly leaving: string }): Promise<void> {
  await removeTree(leaving);
  removeEmptyTrees(leaving);
  killPoint('worktree to try removed');
  const folder = cellsFolder(dirname(dirname(gitDir)));
  const rest = join(folder, `${basename(leaving)}${cellRemovalSuffix}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  renameSync(gitDir, rest);
  killPoint('git folder of a worktree to try moved away');
  await removeTree(rest);
}

function requireRecorded({ repository }: GitAccess, path: string): RecordedTry {
  const found = readRecorded(repository.commonDir).find((one) => one.path === path);
  if (found === undefined) throw new Error(`no changeset is tried in ${path}`);
  return found;
}
