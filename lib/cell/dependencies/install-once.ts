import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentRunner, CommandRun } from '../../domain/ports/agent-port.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { runGit } from '../../git/process/run-git.ts';
import { isJsonRecord, parseJsonRecord } from '../../util/json.ts';
import { killPoint } from '../../util/kill-point.ts';
import { listNamesIn } from '../../util/read-file.ts';
import { removeTree } from '../../util/remove-tree.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { RunnerContext } from '../runner-context.ts';
import { dependencyPath, dependencyStoreRoot, listOldDependencies, listUsed } from './dependency-store.ts';
import {
  commitHasInstallInputs,
  type InstallInputFiles,
  readDecidingInstallInputs,
  readInstallInputFiles,
} from './install-inputs.ts';
import { type RecognisedInstall, recogniseInstall } from './recognise-install.ts';
import {
  canMountOverlays,
  type DependencyPlace,
  giveWorktreeDependencies,
  removeWorktreeDependencies,
} from './worktree-dependencies.ts';

type Request = Parameters<AgentRunner['runCommand']>[0];

/** A command in a cell of its own. */
export interface InstallCommandToRun {
  readonly command: string;
  /** Where it runs. */
  readonly place: { readonly path: string; readonly quarantine: Quarantine | null };
  /** A folder outside of it that it may write, and the variable for it. */
  readonly own: { readonly variable: string; readonly path: string } | null;
  /** Nothing it reads was changed by agents. */
  readonly isOfBase: boolean;
}

interface Tools {
  /** Runs a shell line in a cell of its own and answers what it printed. */
  ask(line: string): Promise<string>;
  run(what: InstallCommandToRun): Promise<CommandRun>;
}

/**
 * Gives a worktree the dependencies that a setup command installs: those made before for the same lock files, command
 * and tools, else the command makes them, once, and they are kept for all. Each worktree has its own changes on top,
 * and changes that packages' scripts may make to the project are made in each. null: the outcome may depend on more
 * than these, or the command failed so; the caller must run it as it is.
 */
export async function installDependenciesOnce(
  context: RunnerContext,
  request: Request,
  tools: Tools,
): Promise<CommandRun | null> {
  const install = recogniseInstall(request.command);
  if (install === null) return null;
  const taker = { commonDir: context.repository.commonDir, worktree: request.worktree.path };
  const { makes } = install;
  const isBefore = ({ place, isVariable }: DependencyPlace): boolean =>
    'variable' in makes ? place === makes.variable : !isVariable;
  try {
    // As npm ci does away with what is there, also where project.link leads out of the worktree.
    const first = {
      place: 'folder' in makes ? makes.folder : makes.variable,
      isVariable: 'variable' in makes,
    };
    await removeWorktreeDependencies(taker, [...listUsed(taker.commonDir, taker.worktree).filter(isBefore), first]);
    const found = await findShared(context, request, { install, tools });
    if (found === null || 'ran' in found) return found?.ran ?? null;
    await giveWorktreeDependencies(taker, { ...found, isMounted: await canMount(context) });
    const ran = await runScripts(request, tools, dependencyPath(taker.commonDir, found.key));
    if (ran.exitCode === 0) return ran;
    await removeWorktreeDependencies(taker, found.places);
  } catch (error) {
    // A disk that is full or can't be written: the command itself says what it makes of that.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
  return null;
}

type Shared = { readonly key: string; readonly places: readonly DependencyPlace[] } | { readonly ran: CommandRun };

/** Finds the install for this worktree, made where there is none yet; `ran`: it failed in the worktree itself. */
async function findShared(
  context: RunnerContext,
  request: Request,
  { install, tools }: { readonly install: RecognisedInstall; readonly tools: Tools },
): Promise<Shared | null> {
  const { commonDir } = context.repository;
  const inputs = await readDecidingInstallInputs(request.worktree.path, install);
  if (inputs === null || (await isTracked(context, request, listFolders(install, inputs)))) return null;
  const versions = await tools.ask(install.versions);
  if (install.needs?.test(versions) === false) return null;
  const key = keyOf(request, versions, inputs);
  const made = dependencyPath(commonDir, key);
  if (!existsSync(made)) {
    const { installs } = context;
    const others = installs.get(key);
    const making = others ?? make(context, request, { install, inputs, made, run: tools.run });
    if (others === undefined) installs.set(key, making);
    const ran = await making.finally(() => installs.delete(key));
    // An install that failed, or can't be shared, proves nothing about another worktree.
    if (!existsSync(made)) return others === undefined && ran !== null ? { ran } : null;
  }
  const { makes } = install;
  if ('variable' in makes) return { key, places: [{ place: makes.variable, isVariable: true }] };
  const folders = listFolders(install, inputs).filter((folder) => existsSync(join(made, folder)));
  return { key, places: folders.map((place) => ({ place, isVariable: false })) };
}

/** Where it may put what it makes in a worktree: workspaces have folders of their own. */
function listFolders({ makes }: RecognisedInstall, inputs: InstallInputFiles): readonly string[] {
  if ('variable' in makes) return [];
  const packages = [...inputs.keys()].filter((name) => basename(name) === 'package.json');
  return packages.map((name) => join(dirname(name), makes.folder));
}

/** A cell would not see what git has there, nor git what an agent changes. */
async function isTracked(
  { repository, env }: RunnerContext,
  { worktree }: Request,
  folders: readonly string[],
): Promise<boolean> {
  if (folders.length === 0) return false;
  const { exitCode, stdout } = await runGit(
    { cwd: repository.commonDir, env },
    ['ls-tree', '--full-tree', '--name-only', worktree.start, '--', ...folders],
    { accept: [0, 128] },
  );
  return exitCode !== 0 || stdout.length > 0;
}

async function canMount(context: RunnerContext): Promise<boolean> {
  const { answers, repository } = context;
  const folder = join(dependencyStoreRoot(repository.commonDir), `trial.${process.pid}.new`);
  const asked =
    answers.get(folder) ??
    context.sandbox().then(async (state) => String(await canMountOverlays(state, folder, context.env.PATH)));
  answers.set(folder, asked);
  return (await asked) === 'true';
}

function keyOf({ command }: Request, versions: string, inputs: InstallInputFiles): string {
  const facts = ['alone', command.trim(), process.platform, process.arch, versions, [...inputs]];
  return hash('sha256', JSON.stringify(facts));
}

interface Making {
  readonly install: RecognisedInstall;
  readonly inputs: InstallInputFiles;
  /** Where it is once it is whole. */
  readonly made: string;
  readonly run: Tools['run'];
}

/**
 * Runs the install where nothing of the project is but what it is known by, and puts what it made in its place in one
 * step: a kill leaves no half of it there. null: what it made can't be kept.
 */
async function make(
  context: RunnerContext,
  { command, worktree, basedOn }: Request,
  { install, inputs, made, run }: Making,
): Promise<CommandRun | null> {
  const { commonDir } = context.repository;
  for (const { path } of listOldDependencies(commonDir, new Date(0))) await removeTree(path);
  const making = `${made}.${process.pid}.new`;
  await removeTree(making);
  mkdirSync(making, { recursive: true, mode: 0o700 });
  killPoint('dependencies to make');
  try {
    const { makes, isAlone } = install;
    const place = isAlone ? { path: making, quarantine: null } : worktree;
    if (isAlone) writeInputs(making, inputs);
    const own = 'variable' in makes ? { variable: makes.variable, path: join(making, makes.variable) } : null;
    if (own !== null) mkdirSync(own.path);
    const isOfBase = basedOn === undefined || (await commitHasInstallInputs(context, basedOn, { install, inputs }));
    const ran = await run({ command, place, own, isOfBase });
    // A script of a package may have missed the project.
    if (ran.exitCode !== 0) return isAlone ? null : ran;
    const after = await readInstallInputFiles(place.path, install);
    if (JSON.stringify([...(after ?? [])]) !== JSON.stringify([...inputs])) return null;
    // Without scripts nothing is generated, and pnpm keeps all packages in a folder of such a name.
    if (install.runsScripts)
      for (const folder of listFolders(install, inputs)) await removeGenerated(join(making, folder));
    killPoint('dependencies made');
    try {
      renameSync(making, made);
    } catch (error) {
      // Another process was quicker: its is as good.
      if (!existsSync(made)) throw error;
    }
    killPoint('dependencies kept');
    return ran;
  } finally {
    await removeTree(making);
  }
}

function writeInputs(root: string, inputs: InstallInputFiles): void {
  for (const [name, text] of inputs) {
    mkdirSync(join(root, dirname(name)), { recursive: true });
    writeFileSync(join(root, name), text, 'latin1');
  }
}

/** Removes generators' output beside the packages: each worktree makes it of its own files (`.prisma`). */
async function removeGenerated(folder: string): Promise<void> {
  for (const name of listNamesIn(folder))
    if (/^\.(?!(?:bin|store|package-lock\.json)$)/.test(name)) await removeTree(join(folder, name));
}

/** Runs the scripts of packages that may read the project, in the worktree. */
async function runScripts({ command, worktree }: Request, { run }: Tools, made: string): Promise<CommandRun> {
  const names = / --ignore-scripts(?: |=true|$)/.test(command) ? [] : listScripted(made);
  if (names.length === 0) return { exitCode: 0, timedOut: false, duration_ms: 0, output: '' };
  const rebuild = command.trim().replace(/^npm\s+\S+/, 'npm rebuild');
  return run({
    command: [rebuild, ...names.map(shellQuote)].join(' '),
    place: worktree,
    own: null,
    isOfBase: false,
  });
}

// They make a package's own sources into programs, or fetch these made, and read nothing else.
const builds =
  /^(?:(?:node-gyp|node-gyp-build|prebuild-install|node-pre-gyp|prebuild|cmake-js)(?: [\w=.-]+)*(?: (?:\|\||&&) |$))+$/;

/** Names of the packages whose scripts run with an install and are known by nothing to leave the project alone. */
function listScripted(made: string): readonly string[] {
  const file = join(made, 'node_modules', '.package-lock.json');
  const { packages } = existsSync(file) ? parseJsonRecord(readFileSync(file, 'utf8')) : {};
  const names = Object.entries(isJsonRecord(packages) ? packages : {}).flatMap(([path, facts]) => {
    if (!isJsonRecord(facts) || facts.hasInstallScript !== true) return [];
    const { scripts } = parseJsonRecord(readFileSync(join(made, path, 'package.json'), 'utf8'));
    const own = isJsonRecord(scripts) ? scripts : {};
    const texts = ['preinstall', 'install', 'postinstall'].flatMap((name) => own[name] ?? []);
    const isBuild = texts.every((text) => typeof text === 'string' && builds.test(text));
    return isBuild ? [] : [path.replace(/^.*node_modules\//, '')];
  });
  return [...new Set(names)];
}
