import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../lib/util/user-folders.ts';
import type { FlameRun } from './flame.ts';
import type { TestRepo } from './repo.ts';

/** The folder of the built program: first on PATH, it makes `git flame` work. */
export const programFolder = join(packageRoot(), 'bin');

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program and what comes before the arguments; the built program by default. */
  readonly command?: readonly string[];
}

/** Starts the built program as a process of its own, without a terminal. */
export function startProgram(repo: TestRepo, argv: readonly string[], options: ProgramOptions = {}): ChildProcess {
  const [program = '', ...before] = options.command ?? [join(programFolder, 'git-flame')];
  return spawn(program, [...before, ...argv], {
    cwd: options.cwd ?? repo.path,
    env: { ...repo.env, PATH: `${programFolder}:${repo.env.PATH ?? ''}`, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the built program to its end. */
export function runProgram(repo: TestRepo, argv: readonly string[], options: ProgramOptions = {}): Promise<FlameRun> {
  return programEnd(startProgram(repo, argv, options));
}

/** What a process said and how it ended; -1 where a signal ended it. */
export async function programEnd(child: ChildProcess): Promise<FlameRun> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code: code ?? -1, stdout, stderr };
}

/** Resolves when a child has said something on stderr, or with `--json` on stdout. */
export async function untilSaid(
  child: ChildProcess,
  what: RegExp,
  stream: 'stderr' | 'stdout' = 'stderr',
): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child[stream]?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (what.test(said)) resolve();
    });
    child.on('close', () => reject(new Error(`it never said ${what}, but: ${said}`)));
  });
}
