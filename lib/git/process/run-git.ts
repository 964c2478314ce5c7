import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isFullDiskText } from '../../domain/disk-errors.ts';
import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';
import { noFolderError } from '../../domain/input-errors.ts';
import { requirePipes } from '../../util/child-programs.ts';
import {
  buildBoundGitEnvironment,
  enforceLimitsBySignal,
  enforceLimitsOnChild,
  findGitOnPath,
  type GitRunLimits,
  type LimitedGit,
  limitGitCommandLine,
  safeGitConfigOptions,
  unlimitedGit,
} from './limit-git-runs.ts';
import { type ProgramResult, runProgramByStarter, type ProgramToStart as StartedProgram } from './starter-process.ts';

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

/**
 * Like runGit for several commands, each run once the one before it succeeded; the input is the first one's.
 * A shell starts them: a process as large as this one takes longer. Their words are in its script as they
 * are.
 */
export function runGitChain(
  context: GitContext,
  commands: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const env = buildBoundGitEnvironment(context, options.env);
  const script = commands.map((command) => `"$0" "$@" ${command}`).join(' && ');
  const argv = ['/bin/sh', '-c', script, findGitOnPath(env), ...safeGitConfigOptions];
  return runProgram({ argv, env, context, args: [commands.join(' && git ')] }, options);
}

interface Program {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly context: GitContext;
  /** As an error names them. */
  readonly args: readonly string[];
}

async function runProgram(
  { argv, env, context, args }: Program,
  { input, accept = [0] }: GitOptions,
): Promise<GitResult> {
  const { guard } = context;
  const program = { argv, env, cwd: context.cwd, input, limits: guard?.limits };
  const ended = (await runStarted(program, guard)) ?? (await runForked(program, guard));
  const exitCode = ended.code ?? endedBySignal;
  const stderr = ended.stderr.toString().trim();
  const wasEnded = exitCode === endedBySignal && guard !== undefined;
  if (accept.includes(exitCode) && !wasEnded) return { exitCode, stdout: ended.stdout, stderr };
  const why = ended.explain(verbOf(args), stderr);
  if (why !== null || !accept.includes(exitCode)) throw why ?? unexpectedExit(args, exitCode, stderr);
  return { exitCode, stdout: ended.stdout, stderr };
}

type GitEnd = ProgramResult & Pick<LimitedGit, 'explain'>;

/** null: there is no starter here. */
async function runStarted(program: StartedProgram, guard: GitRunLimits | undefined): Promise<GitEnd | null> {
  let watch = unlimitedGit;
  const ended = await runProgramByStarter(program, (signal) => {
    watch = enforceLimitsBySignal(guard, signal);
  }).catch((error: Error) => {
    watch.noteEnd(null);
    throw gitMissingError(error, program.cwd);
  });
  if (ended === null) return null;
  // Where the starter died, the end is unknown; the processes it held died with it.
  watch.noteEnd(ended.signal ?? (ended.code === null ? 'SIGKILL' : null));
  return { ...ended, explain: watch.explain };
}

async function runForked({ argv, cwd, env, input }: StartedProgram, guard: GitRunLimits | undefined): Promise<GitEnd> {
  const [file = '', ...words] = limitGitCommandLine(guard, argv, env.PATH);
  const child = spawn(file, words, {
    cwd,
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const watch = enforceLimitsOnChild(guard, child);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  // git may end before it has read everything: its exit code decides, not the broken pipe.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const how = await new Promise<Pick<ProgramResult, 'code' | 'signal'>>((resolve, reject) => {
    child.on('error', (error) => reject(gitMissingError(error, cwd)));
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  return { ...how, stdout: Buffer.concat(out), stderr: Buffer.concat(err), explain: watch.explain };
}

/** Like runGit; resolves to stdout as text without the final newline. */
export async function runGitForText(
  context: GitContext,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await runGit(context, args, options)).stdout.toString().replace(/\n$/, '');
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
  // A process group of its own: Ctrl-C at the terminal doesn't stop it in the middle of its work.
  const options = { cwd: context.cwd, env, stdio: 'pipe', detached: true } as const;
  const [program = '', ...rest] = limitGitCommandLine(
    context.guard,
    [findGitOnPath(env), ...safeGitConfigOptions, ...args],
    env.PATH,
  );
  const child = spawn(program, rest, options);
  enforceLimitsOnChild(context.guard, child);
  try {
    requirePipes(child);
  } catch (error) {
    throw gitMissingError(error as Error, context.cwd);
  }
  return child;
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
