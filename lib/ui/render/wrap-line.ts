import { textWidth } from '../../util/format-width.ts';

/**
 * A painted line broken between words, what follows indented. Words are left whole, however long: the terminal
 * breaks those itself, and a colour's code would not survive it.
 */
export function wrapLine(line: string, width: number): string {
  if (textWidth(line) <= width) return line;
  const indent = `${/^ */.exec(line)?.[0] ?? ''}  `;
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (current.trim() === '' || textWidth(joined) <= width) {
      current = joined;
      continue;
    }
    lines.push(current);
    current = indent + word;
  }
  return [...lines, current].join('\n');
}
