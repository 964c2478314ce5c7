import { neededJoiner, pictureJoiner } from '../../util/joiners.ts';

/**
 * Characters that a terminal would act on or not show: controls, ESC, bidi, zero-width and other invisible ones.
 * Variation selectors of emoji stay, and joiners that writing needs.
 */
const hidden = new RegExp(
  String.raw`(?!${neededJoiner})(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]`,
  'gu',
);
/** In code a joiner may tell two names apart: it is shown. */
const hiddenInCode = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Text from a model or a file as one printable line: nothing in it reaches the terminal as a command.
 * Joined pictures stand side by side, since terminals draw one of them with different widths.
 */
export function toPrintableLine(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text
    .replace(/\s*\r?\n\s*/g, ' ')
    .replace(pictureJoiner, '')
    .replace(hidden, showCharacter);
}

/** As above, for text of several lines: line breaks stay, tabs become spaces. */
export function toPrintableText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\t/g, '    ')
    .replace(hidden, (character) => (character === '\n' ? '\n' : showCharacter(character)));
}

/** One line of a diff: tabs stay, a carriage return at its end is content and is shown. */
export function toPrintableDiffLine(line: string): string {
  return line.replace(hiddenInCode, (character) => (character === '\t' ? '\t' : showCharacter(character)));
}

function showCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

// JSON lets C1 controls and bidi characters through; escaped they are the same value and harmless on a screen.
const unsafe = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu;

/** A value as JSON on one line, printable on any terminal. */
export function renderPrintableJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, escapeUnits);
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

/** Replaces these characters by marks that any other writer of JSON keeps: `⟦U+202E⟧`. */
export function markInvisible(text: string): string {
  return text.replace(
    unsafe,
    (character) => `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`,
  );
}

/** Text that names people, without their mail addresses: `Lea Lead` of `Lea Lead <lea@example.com>`. */
export function dropMailAddresses(text: string): string {
  return text.replace(/(\S) <[^<>\s]+@[^<>\s]*>/g, '$1');
}

/** The person who decided a changeset, without the mail address; null: not decided, or it has a conflict. */
export function nameDecider({
  state,
  decided_by,
}: {
  readonly state: string;
  readonly decided_by: string | null;
}): string | null {
  return decided_by === null || state === 'conflict' ? null : dropMailAddresses(decided_by);
}
