import { createHash } from 'node:crypto';
import { cpSync, lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { AgentRunner, CommandRun } from '../../domain/ports/agent-port.ts';
import { runGit } from '../../git/process/run-git.ts';
import { isBelow } from '../../util/is-below.ts';
import { killPoint } from '../../util/kill-point.ts';
import { removeTree } from '../../util/remove-tree.ts';
import type { RunnerContext } from '../runner-context.ts';
import {
  type Dependency,
  dependencyPath,
  dependencyRoot,
  forgetUses,
  listOldDependencies,
  noteUse,
} from './dependency-store.ts';
import { type Install, recogniseInstall } from './recognise-install.ts';

type Request = Parameters<AgentRunner['runCommand']>[0];

/** Runs the command in its cell; `own` is a folder outside the worktree that it may write, and the variable for it. */
export type RunInstall = (
  own: { readonly variable: string; readonly path: string } | null,
) => Promise<CommandRun>;

interface Tools {
  /** Runs a shell line in a cell of its own and answers what it printed. */
  ask(line: string): Promise<string>;
  run: RunInstall;
}

/** Installs of this process that are under way: agents that start together wait for one. */
const underWay = new Map<string, Promise<CommandRun>>();

/**
 * Gives a worktree what a setup command installs: what was made before for the same lock files, command and tools, else
 * the command makes it here, once, and it is kept for the others, who only read it. null: the command is none whose
 * outcome is known by these alone, and was not run.
 */
export async function shareInstall(
  context: RunnerContext,
  request: Request,
  tools: Tools,
): Promise<CommandRun | null> {
  const install = recogniseInstall(request.command);
  const { commonDir } = context.repository;
  if (install === null || (await meansTheTree(context, request, install))) return null;
  const key = await keyOf(context, request, { install, tools });
  const dependency: Dependency = {
    key,
    variable: 'variable' in install.makes ? install.makes.variable : null,
  };
  const made = dependencyPath(commonDir, key);
  if (!isThere(made)) {
    const others = underWay.get(key);
    const making = others ?? make(context, request, { install, made, run: tools.run });
    if (others === undefined) underWay.set(key, making);
    const ran = await making.finally(() => underWay.delete(key));
    // What failed, or can't be shared, says nothing about another worktree.
    if (!isThere(made)) return others === undefined ? ran : null;
  }
  noteUse(commonDir, request.worktree.path, dependency);
  if ('folder' in install.makes) link(made, join(request.worktree.path, install.makes.folder));
  return { exitCode: 0, timedOut: false, duration_ms: 0, output: '' };
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

// Their commands run with an install, and read whatever is in the worktree.
const ownScripts = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
];

/** Whether what it installs depends on more than its lock files: scripts of the project itself, folders of it. */
async function meansTheTree(
  context: RunnerContext,
  { worktree }: Request,
  { from }: Install,
): Promise<boolean> {
  const texts = await readFrom(context, worktree.path, from);
  return [...texts].some(([path, text]) => {
    if (path.endsWith('package.json'))
      return ownScripts.some((name) => new RegExp(`"${name}"\\s*:`).test(text));
    if (path.endsWith('package-lock.json')) return /"link"\s*:\s*true/.test(text);
    return path.endsWith('.txt') && /^\s*(?:-e\b|--editable|\.|file:|[\w-]+\s*@\s*file:)/m.test(text);
  });
}

/** Tracked files of these names, as the worktree has them. */
async function readFrom(
  { env }: RunnerContext,
  cwd: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const globs = names.map((name) => `:(glob)**/${name}`);
  const { stdout } = await runGit({ cwd, env }, ['ls-files', '-z', '-s', '--', ...globs]);
  const entries = stdout.toString().split('\0').filter(Boolean);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const [, id = '', path = ''] = /^\d+ ([0-9a-f]+) \d\t(.*)$/s.exec(entry) ?? [];
      const { stdout: text } = await runGit({ cwd, env }, ['cat-file', 'blob', id]);
      return [path, text.toString()] as const;
    }),
  );
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function keyOf(
  context: RunnerContext,
  { command, worktree }: Request,
  { install, tools }: { readonly install: Install; readonly tools: Tools },
): Promise<string> {
  const files = await readFrom(context, worktree.path, install.from);
  const facts = [
    command.trim(),
    process.platform,
    process.arch,
    await tools.ask(install.versions),
    [...files],
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

interface Making {
  readonly install: Install;
  /** Where it is once it is whole. */
  readonly made: string;
  readonly run: RunInstall;
}

/** Runs the install, and puts what it made in its place in one step: a kill leaves no half of it there. */
async function make(
  context: RunnerContext,
  { worktree }: Request,
  { install, made, run }: Making,
): Promise<CommandRun> {
  const { commonDir } = context.repository;
  forgetUses(commonDir);
  for (const { path } of listOldDependencies(commonDir, new Date(0))) await removeTree(path);
  const making = `${made}.${process.pid}.new`;
  mkdirSync(dependencyRoot(commonDir), { recursive: true, mode: 0o700 });
  await removeTree(making);
  mkdirSync(making, { mode: 0o700 });
  killPoint('dependencies to make');
  try {
    const { makes } = install;
    const ran = await run('variable' in makes ? { variable: makes.variable, path: making } : null);
    if (ran.exitCode !== 0) return ran;
    if ('folder' in makes) {
      const folder = join(worktree.path, makes.folder);
      // A project without dependencies; one whose links lead out of it works only where it is.
      if (!isThere(folder) || leadsOut(folder)) return ran;
      await move(folder, join(making, makes.folder));
    }
    killPoint('dependencies made');
    try {
      renameSync(making, made);
    } catch (error) {
      // Another process was quicker: its is as good.
      if (!isThere(made)) throw error;
    }
    killPoint('dependencies kept');
    return ran;
  } finally {
    await removeTree(making);
  }
}

function leadsOut(folder: string): boolean {
  const real = resolve(folder);
  return readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => {
    if (!entry.isSymbolicLink()) return false;
    const target = readlinkSync(join(entry.parentPath, entry.name));
    return isAbsolute(target) || !isBelow(resolve(entry.parentPath, target), real);
  });
}

async function move(from: string, to: string): Promise<void> {
  try {
    renameSync(from, to);
  } catch {
    // Worktrees may be on another file system.
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    await removeTree(from);
  }
}

function link(made: string, path: string): void {
  if (isThere(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(made, path.slice(dirname(path).length + 1)), path);
}
