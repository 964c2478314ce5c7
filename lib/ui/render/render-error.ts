import type { FlameError } from '../../domain/flame-error.ts';
import { textWidth, wrapText } from '../../util/format-width.ts';
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

const [label, indent] = ['next: ', '    '];
// A word of a command line; quoted blanks are inside it.
const commandWord = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\]|['"\\])+/g;

/** Renders the next command. One longer than a line continues behind a backslash, so that it can be copied as it is. */
export function renderNextCommand(hint: string, style: Style): string {
  const text = label + hint;
  if (textWidth(text) <= style.width) return `${style.dim('next:')} ${style.bold(hint)}`;
  // Words for the person may stand before the command: `Correct it: git flame run`.
  const [words = ''] = /^[A-Z].*?(?:: |$)/.exec(hint) ?? [];
  const command = label.length + words.length;
  const lines: string[] = [];
  let line = '';
  for (const { 0: word, index } of text.matchAll(commandWord)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (line === '' || textWidth(joined) + 2 <= style.width) {
      line = joined;
      continue;
    }
    lines.push(index > command ? `${line} \\` : line);
    line = indent + word;
  }
  const [first = '', ...rest] = [...lines, line];
  return [style.dim('next:') + style.bold(first.slice(label.length - 1)), ...rest.map(style.bold)].join('\n');
}

/** An error for a program: the one line on stderr that --json gives, of a stable shape. */
export function toJsonError(
  { code, kind, message, lines, hints, data }: FlameError,
  { exitCode, stack }: { readonly exitCode: number; readonly stack: string | null },
): unknown {
  const trace = stack === null ? {} : { stack: stack.split('\n') };
  return { error: { code, kind, exit: exitCode, message, details: lines, hints, data, ...trace } };
}
