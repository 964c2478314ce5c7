import { eastAsianWidth } from 'get-east-asian-width';

const plain = /^[\x20-\x7e]*$/;
const colour = /\u001b\[[0-9;]*m/g;
// Making one takes longer than most texts.
let segmenter: Intl.Segmenter | undefined;
const seen = /[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Mn}\p{Me}]/u;
const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\u20e3/u;

/** Columns a text takes on a terminal; colour codes take none. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  const bare = text.replace(colour, '');
  if (plain.test(bare)) return bare.length;
  return charactersOf(bare).reduce((sum, character) => sum + characterWidth(character), 0);
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
  for (const character of charactersOf(text)) {
    used += characterWidth(character);
    if (used > width - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Joins as many titles as fit `width` columns, the first in any case, and says how many more there are. */
export function joinTitles([first = '', ...others]: readonly string[], width: number): string {
  let joined = first;
  for (const [index, title] of others.entries()) {
    const isLast = index === others.length - 1;
    const more = ` and ${others.length - index} more`;
    const longer = isLast ? `${joined} and ${title}` : `${joined}, ${title}`;
    if (textWidth(longer) + (isLast ? 0 : more.length) > width) return `${joined}${more}`;
    joined = longer;
  }
  return joined;
}

/** Breaks text at spaces, words longer than a line anywhere; keeps its own line breaks. No line is wider than `width`. */
export function wrapText(text: string, width: number, indent = ''): readonly string[] {
  const room = Math.max(8, width - indent.length);
  // Most of what is shown fits, and a session has thousands of tasks.
  if (plain.test(text) && text.length <= room) {
    const line = text.trimEnd();
    return [line === '' ? '' : indent + line];
  }
  return text.split('\n').flatMap((line) => wrapLine(line, room).map((part) => (part === '' ? '' : indent + part)));
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
  let [piece, used] = ['', 0];
  for (const character of charactersOf(word)) {
    const width = characterWidth(character);
    if (used + width > room) {
      pieces.push(piece);
      [piece, used] = ['', 0];
    }
    piece += character;
    used += width;
  }
  return [...pieces, piece];
}

/** Splits a text into what the screen shows as one character, such as an emoji that is joined of several. */
function charactersOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

function characterWidth(character: string): number {
  const [first] = seen.exec(character) ?? [];
  if (first === undefined) return 0;
  return emoji.test(character) ? 2 : eastAsianWidth(first.codePointAt(0) ?? 0);
}
