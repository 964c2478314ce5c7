import { diskFull, exitCodes, FlameError } from '../domain/flame-error.ts';
import type { Io } from '../domain/io.ts';
import { renderError } from '../ui/render-error.ts';
import { createStyle } from '../ui/style.ts';

/** The only catch of what nobody expected: says it on stderr in one sentence and returns the exit code. */
export function reportError(error: unknown, argv: readonly string[], io: Io): number {
  const known = toFlameError(error, io.signal);
  // `| head` has seen enough: that is no error.
  if (known.code === 'pipe-closed') return exitCodes.interrupted;
  const color = argv.includes('--color') ? true : argv.includes('--no-color') ? false : null;
  const style = createStyle(io.stderr, io.env, { color, plain: argv.includes('--plain') });
  const isDebug = argv.includes('--debug');
  const stack = isDebug && error instanceof Error ? `\n${error.stack ?? ''}` : '';
  io.stderr.write(`${renderError(known, style)}${stack}\n`);
  return exitCodes[known.kind];
}

function toFlameError(error: unknown, signal: AbortSignal | undefined): FlameError {
  const full = diskFull(error);
  if (full !== null) return full;
  if (error instanceof FlameError) return error;
  // Whatever a library makes of the abort, the person pressed Ctrl-C.
  if (signal?.aborted === true && signal.reason instanceof FlameError) return signal.reason;
  const reason = error instanceof Error ? error.message : String(error);
  return new FlameError({
    kind: 'internal',
    code: 'unexpected',
    message: `Unexpected error: ${reason.split('\n')[0] ?? ''}`,
    hints: ['Run the same command again with --debug to see where.'],
    cause: error,
  });
}
