import type { FlameError } from '../../domain/flame-error.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

/** An error for a person: what failed, its details, and what to type next. No stack, no final newline. */
export function renderError(error: FlameError, style: Style): string {
  const isFailure = error.kind !== 'waiting' && error.kind !== 'interrupted';
  const label = isFailure ? 'error:' : '';
  const [first = '', ...rest] = wrapText(`${label} ${toPrintableLine(error.message)}`.trimStart(), style.width);
  const paint = isFailure ? style.red : style.yellow;
  return [
    label === '' ? paint(first) : paint(label) + first.slice(label.length),
    ...rest,
    ...error.lines.flatMap((line) => toPrintableText(line).split('\n')).map((line) => `  ${line}`),
    ...error.hints.map((hint) => renderNextCommand(toPrintableLine(hint), style)),
  ].join('\n');
}

/** Renders the next command. Never wrapped: it's there to be copied. */
export function renderNextCommand(hint: string, style: Style): string {
  return `${style.dim('next:')} ${style.bold(hint)}`;
}

/** An error for a program: the one line on stderr that --json gives, of a stable shape. */
export function toJsonError(
  { code, kind, message, lines, hints, data }: FlameError,
  { exitCode, stack }: { readonly exitCode: number; readonly stack: string | null },
): unknown {
  const trace = stack === null ? {} : { stack: stack.split('\n') };
  return { error: { code, kind, exit: exitCode, message, details: lines, hints, data, ...trace } };
}
