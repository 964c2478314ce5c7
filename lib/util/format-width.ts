const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const combining = /\p{Mn}|\p{Me}|\ufe0e|\ufe0f/u;
const plain = /^[\x20-\x7e]*$/;
const colour = /\u001b\[[0-9;]*m/g;

/** Columns a text takes on a terminal; colour codes take none. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  const bare = text.replace(colour, '');
  if (plain.test(bare)) return bare.length;
  let width = 0;
  for (const character of bare) width += characterWidth(character);
  return width;
}

/** Fills up with spaces to `width` columns. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** At most `width` columns, the cut marked with `…`. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let used = 0;
  let kept = '';
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Breaks text at spaces, words longer than a line anywhere; keeps its own line breaks. No line is wider than `width`. */
export function wrapText(text: string, width: number, indent = ''): readonly string[] {
  const room = Math.max(8, width - indent.length);
  // Most of what is shown fits, and a session has thousands of tasks.
  if (plain.test(text) && text.length <= room) {
    const line = text.trimEnd();
    return [line === '' ? '' : indent + line];
  }
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, room).map((part) => (part === '' ? '' : indent + part)));
}

function wrapLine(line: string, room: number): readonly string[] {
  if (textWidth(line) <= room) return [line.trimEnd()];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const joined = current === '' ? word : `${current} ${word}`;
    if (textWidth(joined) <= room) {
      current = joined;
      continue;
    }
    if (current !== '') lines.push(current);
    const pieces = breakWord(word, room);
    lines.push(...pieces.slice(0, -1));
    current = pieces.at(-1) ?? '';
  }
  return current.trim() === '' ? lines : [...lines, current];
}

function breakWord(word: string, room: number): readonly string[] {
  if (textWidth(word) <= room) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (textWidth(piece + character) > room) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

function characterWidth(character: string): number {
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
