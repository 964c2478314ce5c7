import { existsSync } from 'node:fs';
import { noFolder } from '../../domain/bad-input.ts';
import { FlameError, type FlameErrorInit } from '../../domain/flame-error.ts';
import { tellsOfFullDisk } from '../../domain/no-writing.ts';

/** git itself did not do what it was asked. */
export function gitFailed(
  message: string,
  init: Pick<FlameErrorInit, 'details' | 'hints' | 'data' | 'cause'>,
): FlameError {
  return new FlameError({ ...init, kind: 'environment', code: 'git-failed', message });
}

/** git ended in another way than was asked for: by its last words, or by what it lacks. */
export function endedWith(args: readonly string[], exitCode: number, stderr: string): FlameError {
  const lines = stderr.split('\n');
  // A full disk is distinguished from every other failure; git prints more lines after it.
  const reason = lines.find(tellsOfFullDisk) ?? lines.at(-1) ?? '';
  if (lines.some((line) => missesObject(verbOf(args), line))) return objectNotFetched(lines);
  return gitFailed(`git ${verbOf(args)} ended with ${exitCode}: ${reason}`, {
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
    message: 'This clone is a partial one, and what it lacks could not be fetched from its remote.',
    hints: ['git remote -v', 'git flame run'],
    details: lines.slice(0, 10),
  });
}

/** The subcommand, as errors name what was run. */
export function verbOf(args: readonly string[]): string {
  return args.find((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c') ?? 'git';
}

/** The program itself could not be started in this folder. */
export function gitMissing(cause: Error & { readonly code?: unknown }, cwd: string): FlameError {
  if (cause.code === 'EMFILE' || cause.code === 'ENFILE')
    return new FlameError({
      kind: 'environment',
      code: 'too-many-files',
      message: 'git could not be started: too many files are open.',
      hints: ['ulimit -n 4096, then try again.'],
      cause,
    });
  if (!existsSync(cwd)) return noFolder(`The folder ${cwd} is not there any more.`, 'git flame status');
  return new FlameError({
    kind: 'environment',
    code: 'git-missing',
    message: 'git could not be started.',
    hints: ['Install git 2.38 or newer, then try again.'],
    cause,
  });
}
