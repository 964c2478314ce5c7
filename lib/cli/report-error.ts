import { asDiskFullError, asReadOnlyError } from '../domain/disk-errors.ts';
import { exitCodes, FlameError } from '../domain/flame-error.ts';
import type { Io } from '../domain/view-models/command.ts';
import { renderError, toJsonError } from '../ui/render/render-error.ts';
import { renderPrintableJsonLine } from '../ui/text/printable-text.ts';
import { createStyle } from '../ui/text/style.ts';
import { errorMessage } from '../util/error-text.ts';
import { parseArgv } from './parse-argv.ts';

/**
 * The only catch of unexpected errors: reports one on stderr, for a person or with --json as one line, and
 * returns the exit code.
 */
export async function reportError(error: unknown, argv: readonly string[], io: Io): Promise<number> {
  const isBegun = continuesSession(argv) && (await hasSession(error, io));
  const known = toFlameError(error, io.signal, isBegun ? ': git flame resume' : ' run the same command again.');
  const exitCode = exitCodes[known.kind];
  // `| head` has seen enough: that is no error.
  if (known.code === 'pipe-closed') return pipeClosedExitCode;
  const isGiven = (flag: string): boolean => optionsOf(argv).includes(flag);
  const stack = isGiven('--debug') && error instanceof Error ? (error.stack ?? '') : null;
  if (isGiven('--json')) {
    io.stderr.write(`${renderPrintableJsonLine(toJsonError(known, { exitCode, stack }))}\n`);
    return exitCode;
  }
  const color = isGiven('--color') ? true : isGiven('--no-color') ? false : null;
  const plain = isGiven('--plain');
  const gitColor = await askGit(io, { color, plain });
  const style = createStyle(io.stderr, io.env, { color, plain, gitColor });
  io.stderr.write(`${renderError(known, style)}${stack === null ? '' : `\n${stack}`}\n`);
  return exitCode;
}

/** The exit code of a program that ended by SIGPIPE, as git has it. */
export const pipeClosedExitCode = 141;

/** Behind `--` nothing is an option. */
function optionsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

async function askGit(
  io: Io,
  options: { readonly color: boolean | null; readonly plain: boolean },
): Promise<boolean | null> {
  const { readGitColor } = await import('../commands/context/git-preferences.ts');
  // Missing git may be the very error reported here.
  return readGitColor(io, { ...options, json: false }).catch(() => null);
}

/** Whether the command moves a session on, so that typed again it might begin another one, or decide twice. */
function continuesSession(argv: readonly string[]): boolean {
  const isAside = ['--try', '--done', '--export'].some((flag) => optionsOf(argv).includes(flag));
  const isOne = /^(?:run|resume|plan|demo|work|validate|merge|review)$/;
  try {
    const invocation = parseArgv(argv);
    return !isAside && invocation.kind === 'run' && isOne.test(invocation.command);
  } catch {
    return false;
  }
}

/** Whether something is left to resume where the disk was full. */
async function hasSession(error: unknown, { cwd, env }: Io): Promise<boolean> {
  if (asDiskFullError(error, '') === null) return false;
  const { hasStateHere } = await import('../commands/context/git-preferences.ts');
  return hasStateHere({ cwd, env });
}

function toFlameError(error: unknown, signal: AbortSignal | undefined, again: string): FlameError {
  const known = asDiskFullError(error, again) ?? asReadOnlyError(error);
  if (known !== null) return known;
  if (error instanceof FlameError) return error;
  // The person pressed Ctrl-C, even where a library turned the abort into another error.
  if (signal?.aborted === true && signal.reason instanceof FlameError) return signal.reason;
  const reason = errorMessage(error);
  return new FlameError({
    kind: 'internal',
    code: 'unexpected',
    message: `Unexpected error: ${reason.split('\n')[0] ?? ''}`,
    hints: ['Run the same command again with --debug to see where.'],
    cause: error,
  });
}
