import { createHash } from 'node:crypto';
import { cpSync, lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import type { AgentRunner, CommandRun } from '../../domain/ports/agent-port.ts';
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
import { hasInputs, type Inputs, readInputs } from './read-inputs.ts';
import { type Install, recogniseInstall } from './recognise-install.ts';

type Request = Parameters<AgentRunner['runCommand']>[0];

/**
 * Runs the command in its cell; `own` is a folder outside the worktree that it may write, and the variable for it.
 * `isOfBase`: nothing it does was changed by agents.
 */
export type RunInstall = (
  own: { readonly variable: string; readonly path: string } | null,
  isOfBase: boolean,
) => Promise<CommandRun>;

interface Tools {
  /** Runs a shell line in a cell of its own and answers what it printed. */
  ask(line: string): Promise<string>;
  run: RunInstall;
}

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
  if (install === null) return null;
  const inputs = await inputsOf(context, request, install);
  if (inputs === null) return null;
  const versions = await tools.ask(install.versions);
  if (install.needs?.test(versions) === false) return null;
  const key = keyOf(request, versions, inputs);
  const dependency: Dependency = {
    key,
    variable: 'variable' in install.makes ? install.makes.variable : null,
  };
  const made = dependencyPath(commonDir, key);
  if (!isThere(made)) {
    const { installs } = context;
    const others = installs.get(key);
    const making = others ?? make(context, request, { install, inputs, made, run: tools.run });
    if (others === undefined) installs.set(key, making);
    const ran = await making.finally(() => installs.delete(key));
    // What failed, or can't be shared, says nothing about another worktree.
    if (!isThere(made)) return others === undefined ? ran : null;
  }
  noteUse(commonDir, request.worktree.path, dependency);
  if ('folder' in install.makes) {
    const { folder } = install.makes;
    // As npm ci does away with what is there.
    await removeTree(join(request.worktree.path, folder));
    link(join(made, folder), join(request.worktree.path, folder));
  }
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

// What runs something of the worktree, or reads it from where no file of the list is.
const ownMeans: readonly { readonly file: RegExp; readonly words: RegExp }[] = [
  { file: /package\.json$/, words: new RegExp(`"(?:${ownScripts.join('|')})"\\s*:`) },
  {
    file: /(?:package-lock|npm-shrinkwrap)\.json$/,
    words: /"link"\s*:\s*true|"(?:resolved|version)"\s*:\s*"(?:file:|\.)/,
  },
  {
    file: /\.npmrc$/,
    words: /(?:shell|node.options|git|prefix|config|cache|onload.script|install.links)\s*=/i,
  },
  { file: /binding\.gyp$/, words: /^/ },
  { file: /\.cargo\/config(?:\.toml)?$/, words: /credential|rustc|wrapper|include/ },
  { file: /rust-toolchain(?:\.toml)?$/, words: /\bpath\b/ },
];

/** The files it goes by; null: what commands before it left differs from the commit, or its outcome depends on more. */
async function inputsOf(
  context: RunnerContext,
  { worktree }: Request,
  install: Install,
): Promise<Inputs | null> {
  const inputs = await readInputs(context, { path: worktree.path, commit: worktree.start }, install);
  const meansTheTree = [...(inputs ?? [])].some(([path, text]) =>
    ownMeans.some(({ file, words }) => file.test(path.toLowerCase()) && words.test(text)),
  );
  return meansTheTree ? null : inputs;
}

function keyOf({ command }: Request, versions: string, inputs: Inputs): string {
  const facts = [command.trim(), process.platform, process.arch, versions, [...inputs]];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

interface Making {
  readonly install: Install;
  readonly inputs: Inputs;
  /** Where it is once it is whole. */
  readonly made: string;
  readonly run: RunInstall;
}

/**
 * Runs the install, and puts what it made in its place in one step: a kill leaves no half of it there. null: what it
 * made can't be kept, and the worktree has none of it.
 */
async function make(
  context: RunnerContext,
  request: Request,
  { install, inputs, made, run }: Making,
): Promise<CommandRun | null> {
  const { worktree } = request;
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
    const { basedOn } = request;
    const isOfBase = basedOn === undefined || (await hasInputs(context, basedOn, { install, inputs }));
    const ran = await run('variable' in makes ? { variable: makes.variable, path: making } : null, isOfBase);
    if (ran.exitCode !== 0) return ran;
    // It is kept only for what it was made of: the same files, still as they are in the commit.
    if ((await inputsOf(context, request, install)) === null) return 'folder' in makes ? ran : null;
    if ('folder' in makes) {
      const folder = join(worktree.path, makes.folder);
      // A project without dependencies; one whose links lead out of it works only where it is.
      if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true || leadsOut(folder))
        return ran;
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

/**
 * The folder itself is the worktree's own, so that tools can keep their caches in it (`.cache`, `.vite`); what it holds
 * leads to what was made.
 */
function link(made: string, path: string): void {
  mkdirSync(path);
  for (const entry of readdirSync(made, { withFileTypes: true })) {
    const [from, to] = [join(made, entry.name), join(path, entry.name)];
    if (entry.isDirectory() && ownCaches.test(entry.name)) link(from, to);
    else symlinkSync(from, to);
  }
}

// Tools write below them later, beside what the install has left there.
const ownCaches = /^\.(?:cache|vite(?:-temp)?|vitest)$/;
