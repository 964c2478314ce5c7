/**
 * Characters that a terminal would act on or not show: controls, ESC, bidi, zero-width and other invisible ones.
 * Variation selectors of emoji stay.
 */
const hidden = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Text from a model or a file as one printable line: nothing in it reaches the terminal as a command. */
export function visibleLine(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text.replace(/\s*\r?\n\s*/g, ' ').replace(hidden, showCharacter);
}

/** As above, for text of several lines: line breaks stay, tabs become spaces. */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\t/g, '    ')
    .replace(hidden, (character) => (character === '\n' ? '\n' : showCharacter(character)));
}

/** One line of a diff: tabs stay, a carriage return at its end is content and is shown. */
export function visibleDiffLine(line: string): string {
  return line.replace(hidden, (character) => (character === '\t' ? '\t' : showCharacter(character)));
}

function showCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}
