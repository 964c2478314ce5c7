import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { AbandonedCommit, CellWorktree, IgnoredWork, WorkScope } from '../../domain/ports/git-cells.ts';
import { decodeFileName, encodeFilePath, isTextFileName, splitFileNames } from '../../util/file-names.ts';
import { listByteNamesIn } from '../../util/read-file.ts';
import { type GitAccess, gitOnObjects, quarantineVariables, withVariables } from '../objects/git-access.ts';
import { isAncestor } from '../objects/read-commits.ts';
import { findIgnoreRules } from '../process/ignore-rules.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { listCommitsAgentNamed } from './agent-refs.ts';
import { copyVerifiedObjects, hasLooseObject, requirePlainObjectFiles } from './copy-verified-objects.ts';
import { preparedPathsFile, readPreparedPathsFile } from './leftovers.ts';
import { gitOnVerifiedObjects, readCellHead, requireCellGitFolders, syncToolIndexToAgentHead } from './tool-index.ts';

// Caches of installs, tests and builds for the next time, wherever they run.
const cacheNames = new Set(
  [
    'node_modules .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .gradle .next .nuxt .turbo',
    '.cache .parcel-cache .nyc_output .eslintcache .DS_Store .coverage coverage .vite .svelte-kit .terraform .idea',
  ].flatMap((names) => names.split(' ')),
);
const cacheFile = /\.(?:py[cod]|tsbuildinfo|swp|swo)$/;

/** Of one entry that no lock names; what is more is the output of a build. */
const mostFiles = 500;
const mostBytes = 20 * 1024 ** 2;
/** Of all; the worktree that holds them stays whole. */
const mostListed = 20_000;

/**
 * Lists ignored files of a cell's worktree that its agent made inside `scope`, each entry with the rule that hides it,
 * and ignored files put there for it that it changed. Others that were there before it began don't count, nor do caches
 * and the output of builds that no lock names.
 */
export async function readIgnoredWork(
  access: GitAccess,
  cell: CellWorktree,
  { covers, names }: WorkScope,
): Promise<readonly IgnoredWork[]> {
  const { git } = await syncToolIndexToAgentHead(access, cell);
  const { root } = requireCellGitFolders(access, cell);
  const [prepared, since] = [readPreparedPathsFile(root), changeTime(join(root, preparedPathsFile))];
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const found: IgnoredWork[] = [];
  let listed = 0;
  for (const entry of splitFileNames((await runGit(git, args)).stdout)) {
    const isNamed = names(entry.replace(/\/$/, ''));
    if (prepared.has(entry) || (!isNamed && isCache(git.cwd, entry))) continue;
    const walk = { most: isNamed ? mostListed - listed : mostFiles + 1, isNamed, since };
    const { files, bytes } = filesOf(git.cwd, entry, {
      ...walk,
      covers: (path) => covers(path) && !prepared.has(path),
    });
    listed += files.length;
    const isBuilt = files.length > mostFiles || bytes > mostBytes;
    if (files.length > 0) found.push({ entry, files, rule: '', isKept: isNamed || !isBuilt });
  }
  const changed = [...prepared]
    .filter((path) => !path.endsWith('/'))
    .map((path) => ({ entry: path, ...filesOf(git.cwd, path, { most: 1, isNamed: true, since, covers }) }))
    .filter(({ files }) => files.length > 0)
    .map(({ entry, files }) => ({ entry, files, rule: null, isKept: true }));
  if (found.length === 0) return changed;
  const rules = await findIgnoreRules(
    git,
    found.map(({ entry }) => entry),
  );
  return [...found.map((one) => ({ ...one, rule: rules.get(one.entry) ?? 'a rule of git' })), ...changed];
}

function isCache(workTree: string, entry: string): boolean {
  const name = entry.replace(/\/$/, '').split('/').at(-1) ?? '';
  // The mark by which cargo, pytest and others say that a folder can go: bford.info/cachedir.
  const isMarked = entry.endsWith('/') && isTextFileName(entry) && existsSync(join(workTree, entry, 'CACHEDIR.TAG'));
  return isCacheName(name) || isMarked;
}

/** Whether a file or folder of this name is a cache wherever it lies. */
export function isCacheName(name: string): boolean {
  return cacheNames.has(name) || cacheFile.test(name);
}

interface Walk {
  readonly most: number;
  readonly isNamed: boolean;
  /** Nanoseconds; null: nothing was there before. */
  readonly since: bigint | null;
  covers(path: string): boolean;
}

/** Nothing is followed; what is neither a file nor a link holds nothing. */
function filesOf(
  workTree: string,
  entry: string,
  { most, isNamed, since, covers }: Walk,
): { readonly files: readonly string[]; readonly bytes: number } {
  const files: string[] = [];
  let bytes = 0;
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined && files.length < most; path = waiting.pop()) {
    const place = encodeFilePath(workTree, path);
    const facts = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (facts?.isDirectory() === true) {
      const inner = listByteNamesIn(place)
        .map(decodeFileName)
        .filter((name) => name !== '.git');
      const base = path.endsWith('/') ? path : `${path}/`;
      const below = inner.map((name) => `${base}${name}`);
      for (const one of below) if (isNamed || !isCache(workTree, one)) waiting.push(one);
      continue;
    }
    const isWork = facts !== undefined && (facts.isFile() || facts.isSymbolicLink());
    if (!isWork || (since !== null && facts.ctimeNs <= since) || !covers(path)) continue;
    files.push(path);
    bytes += Number(facts.size);
  }
  return { files, bytes };
}

/** When the kernel last saw a file change: no program can set that. */
function changeTime(file: string): bigint | null {
  return lstatSync(file, { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? null;
}

/** The latest of them; who leaves more has the rest in its worktree. */
const mostLost = 20;

/**
 * Commits of an agent that its HEAD, a branch, the stash or their logs named, and that its HEAD does not hold: it left them
 * again. Those that were written once more (amended, rebased) don't count, nor those that a later one of them holds.
 */
export async function listAbandonedCommits(access: GitAccess, cell: CellWorktree): Promise<readonly AbandonedCommit[]> {
  const { agentGitDir, objectDir, intake } = requireCellGitFolders(access, cell);
  const head = await readCellHead(access, cell).catch(() => cell.start);
  const named = [...listCommitsAgentNamed(agentGitDir)].filter((id) => id !== head && hasLooseObject(objectDir, id));
  if (named.length === 0) return [];
  requirePlainObjectFiles(objectDir);
  const reads = withVariables({ ...gitOnObjects(access), guard: access.guard }, quarantineVariables(cell.quarantine));
  const written = await describe(reads, [`${cell.start}..${head}`]);
  const known = new Set(written.map(({ words }) => words));
  const lost: AbandonedCommit[] = [];
  for (const id of named.slice(-mostLost).reverse()) {
    try {
      await copyVerifiedObjects(access, cell.quarantine, id);
      const verified = gitOnVerifiedObjects(access, intake);
      const holders = [head, ...lost.map(({ commit }) => commit)];
      const isHeld = await Promise.all(
        holders.map((holder) => isAncestor(verified, { ancestor: id, descendant: holder, mayMiss: true })),
      );
      const [own] = await describe(verified, ['--no-walk', id]);
      if (own === undefined || isHeld.includes(true) || known.has(own.words)) continue;
      lost.push({ commit: id, subject: own.subject });
    } catch (error) {
      // An object that can't be read now is no commit, or not whole.
      if (!(error instanceof FlameError) || !error.code.startsWith('cell-')) throw error;
    }
  }
  return lost;
}

/** Describes a commit by what stays the same where it is written again: who made it when, and its message. */
async function describe(
  git: GitContext,
  revisions: readonly string[],
): Promise<readonly { readonly words: string; readonly subject: string }[]> {
  const args = ['log', '-z', '--format=%an%x00%ae%x00%at%x00%s', '--max-count=2000', ...revisions];
  const { stdout, exitCode } = await runGit(git, args, { accept: [0, 128] });
  const fields = exitCode === 0 ? stdout.toString().split('\0') : [];
  const found: { words: string; subject: string }[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4)
    found.push({ words: fields.slice(at, at + 4).join('\0'), subject: fields[at + 3] ?? '' });
  return found;
}
