import { spawnSync } from 'node:child_process';
import {
  buildBoundGitEnvironment,
  findGitOnPath,
  limitGitCommandLine,
  safeGitConfigOptions,
} from './limit-git-runs.ts';
import type { GitContext } from './run-git.ts';

/**
 * Runs git while everything waits for it, so only for what takes milliseconds; no longer than `most.ms`. Returns what it printed
 * to stdout; null where it failed, took longer or printed more.
 */
export function runGitBlocking(
  context: GitContext,
  args: readonly string[],
  { input = '', ms, bytes }: { readonly input?: string; readonly ms: number; readonly bytes: number },
): Buffer | null {
  const env = buildBoundGitEnvironment(context);
  const argv = limitGitCommandLine(context.guard, [findGitOnPath(env), ...safeGitConfigOptions, ...args], env.PATH);
  const [program = '', ...rest] = argv;
  const options = {
    cwd: context.cwd,
    env,
    input,
    timeout: ms,
    maxBuffer: bytes,
    killSignal: 'SIGKILL',
  } as const;
  const { status, stdout } = spawnSync(program, rest, options);
  return status === 0 ? stdout : null;
}
