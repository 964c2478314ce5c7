import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import type { OwnWorkInTry } from '../../domain/ports/git-try-worktrees.ts';
import { joinFileNames, splitFileNames } from '../../util/file-names.ts';
import { fileStamp } from '../../util/read-file.ts';
import { isCacheName } from '../cells/ignored-and-abandoned-work.ts';
import { type GitAccess, gitInWorkTree, withVariables } from '../objects/git-access.ts';
import { readIgnoreRules } from '../process/ignore-rules.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/** Untracked files that were there before the person, each with its stamp; ignored folders, which end in `/`. */
export type PreparedPaths = Readonly<Record<string, unknown>>;

interface Tried {
  readonly path: string;
  readonly gitDir: string;
  /** The changeset's, and what it was built on. */
  readonly commit: ObjectId;
  readonly base: ObjectId;
  readonly prepared: PreparedPaths;
}

/**
 * Lists paths that changed in a worktree since it was prepared: also those that only the changeset's own rules ignore,
 * and files marked as unchanged or skipped in the index. What the base or the person's settings ignore counts as
 * nothing, nor does what a program ignores itself, or caches that the changeset ignores. `ignored` are those of them
 * that git ignores there.
 */
export async function listChangesInTry(
  access: GitAccess,
  tried: Tried,
  changedTracked: (workTree: string, variables: GitContext['variables']) => Promise<readonly string[]>,
): Promise<Pick<OwnWorkInTry, 'changes' | 'ignored'>> {
  const [own, index] = [join(tried.gitDir, 'index'), join(tried.gitDir, `look-${randomUUID()}.index`)];
  const variables = { GIT_INDEX_FILE: index };
  try {
    if (existsSync(own)) copyFileSync(own, index);
    const git = withVariables(await quietGit(access, tried.path), variables);
    await unmarkFiles(git);
    const tracked = await changedTracked(tried.path, variables);
    const seen = await listUntracked(git);
    const all = [...new Set([...seen, ...(await listUntrackedByRulesOf(git, tried.base))])];
    const { shown, ignored } = await dropOutput(
      git,
      all.filter((name) => !isPrepared(tried, name)),
      tried.commit,
    );
    return { changes: [...new Set([...tracked, ...shown, ...ignored])].sort(), ignored };
  } finally {
    for (const file of [index, `${index}.lock`]) rmSync(file, { force: true });
  }
}

/** Reads what lies untracked in a worktree before a person works there. */
export async function readPreparedPaths(access: GitAccess, path: string): Promise<PreparedPaths> {
  const git = await quietGit(access, path);
  const ignored = await listUntracked(git, ['--ignored', '--directory']);
  // git lists folders too that are not ignored themselves, when all in them is.
  const rules = await readIgnoreRules(git, ignored);
  const names = [...(await listUntracked(git)), ...ignored.filter((name) => rules.has(name))];
  return Object.fromEntries(names.map((name) => [name, name.endsWith('/') || fileStamp(join(path, name))]));
}

/** Once they are staged or committed they are the person's. */
function isPrepared({ path, prepared }: Tried, name: string): boolean {
  const isBelow = [...name.matchAll(/\//g)].some(({ index }) => Object.hasOwn(prepared, name.slice(0, index + 1)));
  return isBelow || (Object.hasOwn(prepared, name) && prepared[name] === fileStamp(join(path, name)));
}

async function quietGit(access: GitAccess, path: string): Promise<GitContext> {
  return withVariables(gitInWorkTree(access, path), await access.inertDrivers());
}

async function listUntracked(git: GitContext, options: readonly string[] = []): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--others', '--exclude-standard', ...options];
  return splitFileNames((await runGit(git, args)).stdout);
}

/** Has git look again at files that are there and marked assume-unchanged or skip-worktree. */
async function unmarkFiles(git: GitContext): Promise<void> {
  const marked = splitFileNames((await runGit(git, ['ls-files', '-z', '-v'])).stdout)
    .flatMap((line) => (/^[a-zS] /.test(line) ? line.slice(2) : []))
    .filter((name) => lstatSync(join(git.cwd, name), { throwIfNoEntry: false }) !== undefined);
  if (marked.length === 0) return;
  for (const option of ['--no-assume-unchanged', '--no-skip-worktree'])
    await runGit(git, ['update-index', '-z', option, '--stdin'], { input: joinFileNames(marked) });
}

/**
 * Lists what `.gitignore` files of a commit, instead of those that are there, leave untracked. git reads a file of rules
 * from the index where it is marked as skipped; no file there has the name it gets for that.
 */
async function listUntrackedByRulesOf(git: GitContext, commit: ObjectId): Promise<readonly string[]> {
  const name = `.${randomUUID()}`;
  const rules = splitFileNames((await runGit(git, ['ls-tree', '-r', '-z', commit])).stdout).flatMap((line) => {
    const [, mode, id, folder = ''] = /^(100\d+) blob (\w+)\t(.*\/)?\.gitignore$/s.exec(line) ?? [];
    return mode === undefined ? [] : { path: `${folder}${name}`, line: `${mode} ${id}\t${folder}${name}` };
  });
  await runGit(git, ['update-index', '-z', '--index-info'], { input: joinFileNames(rules.map(({ line }) => line)) });
  const input = joinFileNames(rules.map(({ path }) => path));
  await runGit(git, ['update-index', '-z', '--skip-worktree', '--stdin'], { input });
  return listUntracked(git, [`--exclude-per-directory=${name}`]);
}

/** Without what other rules than the commit's ignore, and without caches. */
async function dropOutput(
  git: GitContext,
  names: readonly string[],
  commit: ObjectId,
): Promise<{ readonly shown: readonly string[]; readonly ignored: readonly string[] }> {
  if (names.length === 0) return { shown: [], ignored: [] };
  const rules = await readIgnoreRules(git, names);
  const { stdout } = await runGit(git, ['ls-tree', '-r', '-z', '--name-only', commit]);
  const files = new Set(splitFileNames(stdout));
  const isHidden = (name: string): boolean =>
    files.has(rules.get(name)?.file ?? '') && !name.split('/').some(isCacheName);
  return { shown: names.filter((name) => !rules.has(name)), ignored: names.filter(isHidden) };
}
