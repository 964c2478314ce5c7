import { copyFileSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { CellWorktree } from '../../domain/ports/git-cells.ts';
import { killPoint } from '../../util/kill-point.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';
import { type GitAccess, gitOnObjects } from '../objects/git-access.ts';
import { isAncestor } from '../objects/read-commits.ts';
import { runGit } from '../process/run-git.ts';
import { resolveCommit } from '../refs/resolve-commit.ts';
import { addToRecord, parseId, readRecord } from './cell-record.ts';
import { requireUnchangedSubmodules } from './require-unchanged-submodules.ts';
import { listEntriesGitSees } from './sanitize-worktree.ts';
import { countIndexEntries, readCellHead, requireCellGitFolders } from './tool-index.ts';

interface HandOptions {
  /** Where the person goes to run what is there: hooks of the work tree are no more, and a look runs none of them. */
  readonly mayRunHooks?: boolean;
}

/** Beside a cell's record: which HEAD the person found in it. */
const leftFile = 'left';

/**
 * Makes the worktree of an agent that is over one that the person's own git works in: its HEAD is what was
 * accepted of it, else where it began, and never a commit that the agent named; all else that was written is a change
 * there. The agent's HEAD and objects stay in quarantine, where the tool reads them. Harmless when repeated. Where git
 * would run what lies in it, its link leads nowhere, so that no git works there. Throws FlameErrors `cell-submodule` and
 * `cell-not-left` then.
 */
export async function handWorktreeToPerson(
  access: GitAccess,
  cell: CellWorktree,
  { mayRunHooks = false }: HandOptions = {},
): Promise<void> {
  const { listing, ownGitDir, root } = requireCellGitFolders(access, cell);
  const link = join(cell.path, '.git');
  const ours = linkTo(listing);
  const text = readDotGitFile(link);
  // An agent that nothing held may have put a folder there.
  if (text === null || text === ours || text === linkTo(nowhere(listing))) return;
  const head = await acceptedHead(access, cell);
  try {
    await requireUnchangedSubmodules(access, cell, head);
    const why = await explainUnsafeConfig(access, cell, { mayRunHooks });
    if (why !== null) throw notLeft(cell, why);
  } catch (error) {
    replaceFile(link, linkTo(nowhere(listing)));
    throw error;
  }
  if (readRecord(root).index === head) copyFileSync(join(ownGitDir, 'index'), join(listing, 'index'));
  else {
    const there = { GIT_DIR: listing, GIT_WORK_TREE: cell.path };
    await runGit({ ...access.context, cwd: listing, variables: there }, ['read-tree', head]);
  }
  // First: what differs from it is the person's.
  replaceFile(join(root, leftFile), head);
  replaceFile(join(listing, 'HEAD'), `${head}\n`);
  killPoint('worktree to leave to the person');
  replaceFile(link, ours);
  killPoint('worktree left to the person');
}

/** Whether a worktree is one that the person's git works in. */
export function isHandedToPerson(access: GitAccess, cell: CellWorktree): boolean {
  return readDotGitFile(join(cell.path, '.git')) === linkTo(requireCellGitFolders(access, cell).listing);
}

/** Returns a path where nothing is: git reports that and stops. */
function nowhere(listing: string): string {
  return join(listing, 'left-to-no-user');
}

function linkTo(folder: string): string {
  return `gitdir: ${folder}\n`;
}

const longestLink = 10_000;

/** null: it is no such file; an agent that nothing held may have put anything there. */
export function readDotGitFile(link: string): string | null {
  const facts = lstatSync(link, { throwIfNoEntry: false });
  return facts?.isFile() === true && facts.size <= longestLink ? readFileSync(link, 'utf8') : null;
}

function notLeft({ path }: CellWorktree, why: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'cell-not-left',
    message: `git is switched off in ${path}, because it would run agents' files as you: ${why}.`,
    hints: ['git flame show <task> --diff'],
  });
}

/** Remembers a commit of a cell that was judged and came into the repository, where no agent can write. */
export function recordAcceptedTip(access: GitAccess, cell: CellWorktree, tip: ObjectId): void {
  addToRecord(requireCellGitFolders(access, cell).root, { accepted: tip });
}

/** Returns the agent's last HEAD where exactly that was accepted and builds on its start, else that start. */
async function acceptedHead(access: GitAccess, cell: CellWorktree): Promise<ObjectId> {
  const { accepted } = readRecord(requireCellGitFolders(access, cell).root);
  if (accepted === null || (await readCellHead(access, cell).catch(() => null)) !== accepted) return cell.start;
  // git may have removed it since, where nothing came of it.
  const git = gitOnObjects(access);
  const isThere = (await resolveCommit(git, accepted, access.objects)) === accepted;
  return isThere && (await isAncestor(git, { ancestor: cell.start, descendant: accepted })) ? accepted : cell.start;
}

/**
 * A commit that a person made in a worktree that was left to them, on top of what they found, and that no ref has;
 * null: there is none.
 */
export async function findCommitMadeByPerson(access: GitAccess, cell: CellWorktree): Promise<ObjectId | null> {
  const { listing, root } = requireCellGitFolders(access, cell);
  const left = parseId(readTextOrEmpty(join(root, leftFile)).trim()) ?? cell.start;
  // On a branch it is the branch that has it.
  const head = parseId(readTextOrEmpty(join(listing, 'HEAD')).trim());
  const git = gitOnObjects(access);
  if (head === null || head === left || !(await isAncestor(git, { ancestor: left, descendant: head }))) return null;
  const range = [head, '--not', left, '--glob=refs/*'];
  const { stdout } = await runGit(git, ['rev-list', '--max-count=1', ...range]);
  return stdout.length === 0 ? null : head;
}

/** Whether the `.git` of a worktree is the one it was made with, or the one handWorktreeToPerson put there. */
export function isDotGitOfCell(
  { agentGitDir, listing }: { readonly agentGitDir: string; readonly listing: string },
  link: string,
): boolean {
  const text = readDotGitFile(link);
  // A kill may have come in the middle of writing it.
  return text !== null && [agentGitDir, listing, nowhere(listing)].some((folder) => linkTo(folder).startsWith(text));
}

/**
 * Returns why the person's own git would run an agent's files in a worktree, at a mere `git status` there; null: it
 * runs none. A repository within it brings settings of its own, and settings of the person that name a program by a
 * path below the work tree, or one that looks for its parts there, start the file at that path.
 */
async function explainUnsafeConfig(
  access: GitAccess,
  cell: CellWorktree,
  { mayRunHooks }: Required<HandOptions>,
): Promise<string | null> {
  const most = access.bounds.entries + countIndexEntries(requireCellGitFolders(access, cell).ownGitDir);
  const nested = await findRepository(cell.path, most);
  if (nested !== null) return nested;
  const settings = await listSettingsForWorkTree(access);
  const setting = settings.find((key) => !mayRunHooks || key !== hooksPath);
  return setting === undefined ? null : `your git setting ${setting} runs a program that such a folder can contain`;
}

/** Links are not followed: git doesn't either. */
async function findRepository(workTree: string, most: number): Promise<string | null> {
  let seen = 0;
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await listEntriesGitSees(join(workTree, folder))) {
      seen += 1;
      if (seen > most) return `the folder holds more than ${most} files and folders`;
      const isRepository = folder !== '' && entry.name.toLowerCase() === '.git';
      if (isRepository) return `${folder} in it is a git repository`;
      if (entry.isDirectory()) waiting.push(join(folder, entry.name));
    }
  }
  return null;
}

const programs =
  '^(core\\.(hookspath|fsmonitor)|diff\\.external|filter\\..*\\.(clean|smudge|process)|diff\\..*\\.(command|textconv)|merge\\..*\\.driver)$';

const hooksPath = 'core.hookspath';

/** Whether git runs hooks that it finds in a work tree. */
export async function areHooksInWorkTree(access: GitAccess): Promise<boolean> {
  return (await listSettingsForWorkTree(access)).includes(hooksPath);
}

/** Keys of settings by which git starts what it finds in a work tree. */
async function listSettingsForWorkTree({ context }: GitAccess): Promise<readonly string[]> {
  const { stdout } = await runGit(context, ['config', '-z', '--get-regexp', programs], { accept: [0, 1] });
  return stdout
    .toString()
    .split('\0')
    .flatMap((entry) => {
      const [key = '', value = ''] = entry.split(/\n(.*)/s);
      return key !== '' && !isElsewhere(value) ? [key] : [];
    });
}

// These come with their own program, and start nothing of a work tree.
const known = /^(?:git-lfs|git lfs|git-crypt|git crypt)(?:\s|$)/;

function isElsewhere(value: string): boolean {
  return (
    value === '' || /^(?:true|false|yes|no|on|off|\d+)$/i.test(value) || /^["']?[/~]/.test(value) || known.test(value)
  );
}
