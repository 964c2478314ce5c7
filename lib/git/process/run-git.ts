import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isFullDiskText } from '../../domain/disk-errors.ts';
import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';
import { noFolderError } from '../../domain/input-errors.ts';
import { requirePipes } from '../../util/child-programs.ts';
import {
  buildBoundGitEnvironment,
  enforceLimits,
  findGitOnPath,
  type GitRunLimits,
  limitGitCommandLine,
  safeGitConfigOptions,
} from './limit-git-runs.ts';

/** Where and how git runs. */
export interface GitContext {
  /** Folder git starts in. */
  readonly cwd: string;
  /** The environment of the person's command; what binds git to another repository is removed from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Set for every git started here, after the cleaning: what binds it to one repository or object folder. */
  readonly variables?: Readonly<Record<string, string>>;
  /** For a git that reads what an agent wrote: what it may take at most. */
  readonly guard?: GitRunLimits | undefined;
}

interface GitOptions {
  readonly input?: string | Uint8Array;
  /** Added to the environment after the cleaning, such as GIT_INDEX_FILE. */
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are answers, not failures. Default: 0. */
  readonly accept?: readonly number[];
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** As git itself ends where something is fatally wrong. */
const endedBySignal = 128;

/** Runs git to its end. Throws FlameError `git-failed` with git's own words when the exit code isn't accepted. */
export function runGit(context: GitContext, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  const env = buildBoundGitEnvironment(context, options.env);
  return runProgram({ argv: [findGitOnPath(env), ...safeGitConfigOptions, ...args], env, context, args }, options);
}

interface Program {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly context: GitContext;
  /** As an error names them. */
  readonly args: readonly string[];
}

async function runProgram(program: Program, { input, accept = [0] }: GitOptions): Promise<GitResult> {
  const { context, args } = program;
  const child = spawnProgram(program, input === undefined ? 'ignore' : 'pipe');
  const explain = enforceLimits(context.guard, child);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  // git may end before it has read everything: its exit code decides, not the broken pipe.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.on('error', (error) => reject(gitMissingError(error, context.cwd)));
    child.on('close', (code) => resolve(code ?? endedBySignal));
  });
  const stderr = Buffer.concat(err).toString().trim();
  // No failure that is accepted stands for a full disk.
  const isAccepted = accept.includes(exitCode) && !(exitCode === 128 && isFullDiskText(stderr));
  const why = isAccepted && exitCode !== endedBySignal ? null : explain(verbOf(args), stderr);
  if (why !== null || !isAccepted) throw why ?? unexpectedExit(args, exitCode, stderr);
  return { exitCode, stdout: Buffer.concat(out), stderr };
}

/** In a process group of its own: Ctrl-C at the terminal doesn't stop it in the middle of its work. */
function spawnProgram({ argv, env, context }: Omit<Program, 'args'>, stdin: 'ignore' | 'pipe'): ChildProcess {
  const [file = '', ...words] = limitGitCommandLine(context.guard, argv, env.PATH);
  return spawn(file, words, { cwd: context.cwd, env, stdio: [stdin, 'pipe', 'pipe'], detached: true });
}

/** Like runGit; resolves to stdout as text without the final newline. */
export async function runGitForText(
  context: GitContext,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await runGit(context, args, options)).stdout.toString().replace(/\n$/, '');
}

/** Like runGit; resolves to the lines of stdout that aren't empty. */
export async function runGitForLines(
  context: GitContext,
  args: readonly string[],
  options: GitOptions = {},
): Promise<readonly string[]> {
  return (await runGitForText(context, args, options)).split('\n').filter((line) => line !== '');
}

/**
 * Asks git how the person likes things shown, such as `git var GIT_PAGER`: also by settings they gave with `git -c`. ''
 * where it has no answer. For questions that run nothing of the repository.
 */
export async function readGitPreference(context: GitContext, args: readonly string[]): Promise<string> {
  const given = Object.entries(context.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && /^GIT_CONFIG_[A-Z]+/.test(entry[0]),
  );
  const env = { ...buildBoundGitEnvironment(context), ...Object.fromEntries(given) };
  const argv = [findGitOnPath(env), ...args];
  const { stdout } = await runProgram({ argv, env, context, args }, { accept: [0, 1, 128, 129] });
  return stdout.toString().replace(/\n$/, '');
}

/**
 * Starts git with a clean environment and piped streams, for those that talk with it. git is spawned in this file alone.
 * Throws FlameError `too-many-files`.
 */
export function spawnGit(
  context: GitContext,
  args: readonly string[],
  extraEnv: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const env = buildBoundGitEnvironment(context, extraEnv);
  const argv = [findGitOnPath(env), ...safeGitConfigOptions, ...args];
  const child = spawnProgram({ argv, env, context }, 'pipe');
  enforceLimits(context.guard, child);
  try {
    requirePipes(child);
  } catch (error) {
    throw gitMissingError(error as Error, context.cwd);
  }
  return child as ChildProcessWithoutNullStreams;
}

/** git itself did not do what it was asked. */
export function gitFailedError(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'data' | 'cause'>,
): FlameError {
  return new FlameError({ ...init, kind: 'environment', code: 'git-failed', message });
}

/** git ended in another way than was asked for: by its last words, or by what it lacks. */
function unexpectedExit(args: readonly string[], exitCode: number, stderr: string): FlameError {
  const lines = stderr.split('\n');
  // A full disk is distinguished from every other failure; git prints more lines after it.
  const reason = lines.find(isFullDiskText) ?? lines.at(-1) ?? '';
  if (lines.some((line) => missesObject(verbOf(args), line))) return objectNotFetched(lines);
  return gitFailedError(`git ${verbOf(args)} ended with ${exitCode}: ${reason}`, {
    details: lines.slice(0, 10),
    data: { args, exitCode },
  });
}

/** git 2.38 names no object: what it fetches for a command that has no remote of its own is one. */
function missesObject(verb: string, line: string): boolean {
  if (/could not fetch [0-9a-f]+ from promisor remote/.test(line)) return true;
  if (['fetch', 'push', 'pull', 'clone', 'ls-remote', 'submodule'].includes(verb)) return false;
  return /^fatal: (?:Could not read from remote repository|unable to access )/.test(line);
}

function objectNotFetched(lines: readonly string[]): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'object-not-fetched',
    message: 'This is a partial clone, and git could not fetch the missing objects from its remote.',
    hints: ['git remote -v', 'git flame run'],
    details: lines.slice(0, 10),
  });
}

/** The subcommand, as errors name what was run. */
function verbOf(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c') ?? 'git';
}

/** The program itself could not be started in this folder. */
export function gitMissingError(cause: Error & { readonly code?: unknown }, cwd: string): FlameError {
  if (cause.code === 'EMFILE' || cause.code === 'ENFILE')
    return new FlameError({
      kind: 'environment',
      code: 'too-many-files',
      message: 'git could not be started: too many files are open.',
      hints: ['ulimit -n 4096, then try again.'],
      cause,
    });
  if (!existsSync(cwd)) return noFolderError(`The folder ${cwd} no longer exists.`, 'git flame status');
  return new FlameError({
    kind: 'environment',
    code: 'git-missing',
    message: 'git could not be started.',
    hints: ['Install git 2.38 or newer, then try again.'],
    cause,
  });
}
