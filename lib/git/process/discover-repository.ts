import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { parseObjectId } from '../../domain/ids.ts';
import { noFolderError } from '../../domain/input-errors.ts';
import type { Repository, WorktreeInfo } from '../../domain/ports/git-port.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { type GitContext, type GitResult, runGit, runGitForText } from './run-git.ts';

const oldestGit = '2.38';

/**
 * Finds the repository a command runs in, from any folder of any of its work trees. Throws a FlameError of
 * kind environment: `not-a-repository`, `dubious-ownership`, `git-missing`, `git-too-old`.
 */
export async function discoverRepository(context: GitContext): Promise<Repository> {
  if (!existsSync(context.cwd)) throw noFolderError(`The folder ${context.cwd} does not exist.`, 'cd "$HOME"');
  const here = { ...context, variables: { ...givenByPerson(context), ...context.variables } };
  const asked = readFacts(here);
  // An old git fails at the questions too; its age is the reason to name.
  asked.catch(() => undefined);
  const gitVersion = await readVersion(here);
  const facts = await asked;
  return { ...facts, mainWorkTree: await findMainWorkTree(here, facts), gitVersion };
}

type RepositoryFacts = Omit<Repository, 'mainWorkTree' | 'gitVersion'>;

/**
 * `git --git-dir=X --work-tree=Y flame` arrives as variables, which children get only if passed on
 * explicitly.
 */
function givenByPerson({ env }: GitContext): Record<string, string> {
  const given = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

async function readVersion(context: GitContext): Promise<string> {
  const text = await runGitForText(context, ['version']);
  const version = /(\d+)\.(\d+)[^\s]*/.exec(text);
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  if (major > 2 || (major === 2 && minor >= 38)) return version?.[0] ?? '';
  throw new FlameError({
    kind: 'environment',
    code: 'git-too-old',
    message: `git ${version?.[0] ?? 'of unknown version'} is too old: git ${oldestGit} or newer is needed.`,
    hints: [`Install git ${oldestGit} or newer, then check with: git version`],
  });
}

const flags = ['--is-bare-repository', '--is-inside-work-tree', '--show-object-format'];
const absolute = ['rev-parse', '--path-format=absolute'];

async function readFacts(context: GitContext): Promise<RepositoryFacts> {
  const result = await runGit(
    context,
    [...absolute, ...flags, '--git-dir', '--git-common-dir', '--show-prefix', '--show-toplevel'],
    { accept: [0, 128] },
  );
  const lines = result.stdout.toString().replace(/\n$/, '').split('\n');
  // Without a work tree git answers all but the last question and then gives up.
  const hasTree = result.exitCode === 0;
  if (!/^(?:true|false)$/.test(lines[0] ?? '') || (lines[1] === 'true' && !hasTree)) {
    throw notUsable(context.cwd, result);
  }
  const paths = lines.length === (hasTree ? 7 : 6) ? lines.slice(3) : await askOneByOne(context, hasTree);
  const [gitDir = '', commonDir = '', prefix = '', workTree = null] = paths;
  return {
    commonDir,
    gitDir,
    workTree,
    prefix,
    isBare: lines[0] === 'true',
    objectFormat: lines[2] === 'sha256' ? 'sha256' : 'sha1',
  };
}

/**
 * Where a path holds a newline, several answers at once can't be distinguished, so each is asked for by itself.
 */
async function askOneByOne(context: GitContext, hasTree: boolean): Promise<string[]> {
  const questions = ['--git-dir', '--git-common-dir', '--show-prefix', ...(hasTree ? ['--show-toplevel'] : [])];
  return Promise.all(questions.map((question) => runGitForText(context, [...absolute, question])));
}

/** Where there is no main one, as beside a bare repository, or its place isn't known, the current one. */
async function findMainWorkTree(context: GitContext, facts: RepositoryFacts): Promise<string | null> {
  if (facts.workTree !== null && facts.gitDir === facts.commonDir) return facts.workTree;
  const [main] = await listWorktrees(context);
  if (main === undefined || main.isBare) return facts.workTree;
  if (main.path !== facts.commonDir) return main.path;
  return (await configuredWorkTree(context, facts.commonDir)) ?? facts.workTree;
}

/** git names the git folder in the place of a main work tree that isn't around it; a submodule's is configured. */
async function configuredWorkTree(context: GitContext, commonDir: string): Promise<string | null> {
  const main = { cwd: commonDir, env: context.env, variables: { GIT_DIR: commonDir } };
  const { stdout } = await runGit(main, ['config', '-z', 'core.worktree'], { accept: [0, 1] });
  const [path = ''] = stdout.toString().split('\0');
  return path === '' ? null : resolve(commonDir, path);
}

function notUsable(cwd: string, { stderr }: GitResult): FlameError {
  const isDubious = stderr.includes('dubious ownership');
  const isMissing = stderr.includes('not a git repository');
  return new FlameError({
    kind: 'environment',
    code: isDubious ? 'dubious-ownership' : isMissing ? 'not-a-repository' : 'repository-unusable',
    message: isDubious
      ? 'git refuses this repository, because it belongs to another user.'
      : isMissing
        ? `${cwd} is not in a git repository.`
        : "git can't work in this repository.",
    hints: isMissing ? ['git init'] : isDubious ? safeDirectory(stderr) : [],
    details: stderr.split('\n').slice(0, 10),
  });
}

function safeDirectory(stderr: string): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.includes('safe.directory '))
    .map((line) => line.trim());
}

/** All work trees of the repository, the main one (or the bare repository) first. */
export async function listWorktrees(
  context: GitContext,
): Promise<readonly (WorktreeInfo & { readonly isBare: boolean })[]> {
  const { stdout } = await runGit(context, ['worktree', 'list', '--porcelain', '-z']);
  return parseWorktrees(stdout.toString());
}

/** Parses `git worktree list --porcelain -z`: NUL after each attribute, another after each worktree. */
export function parseWorktrees(text: string): readonly (WorktreeInfo & { readonly isBare: boolean })[] {
  return text
    .split('\0\0')
    .filter((record) => record !== '')
    .map((record) => {
      const attributes = new Map(record.split('\0').map(splitAttribute));
      const head = attributes.get('HEAD');
      return {
        path: attributes.get('worktree') ?? '',
        head: head === undefined || /^0+$/.test(head) ? null : parseObjectId(head),
        branch: attributes.get('branch')?.replace(/^refs\/heads\//, '') ?? null,
        isBare: attributes.has('bare'),
      };
    });
}

function splitAttribute(line: string): readonly [string, string] {
  const space = line.indexOf(' ');
  return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
}

/** Where the `.git` of a folder really is or leads; null: there is none, or git would find no repository by it. */
export function resolveDotGitOfFolder(folder: string): string | null {
  const git = join(folder, '.git');
  const facts = statSync(git, { throwIfNoEntry: false });
  if (facts?.isDirectory() === true) return realPathEvenIfMissing(git);
  const [, target] = (facts?.isFile() === true && /^gitdir: (.+)\n?$/.exec(readTextOrEmpty(git))) || [];
  return target === undefined ? null : realPathEvenIfMissing(resolve(folder, target));
}
