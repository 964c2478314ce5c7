import { neededJoiner } from '../../util/joiners.ts';

// Controls, and what is invisible or turns text around on a screen, but for the joiners that writing needs.
const unprintable = new RegExp(String.raw`(?!${neededJoiner})[\p{Cc}\p{Cf}]`, 'gu');
const unprintableInText = new RegExp(String.raw`(?!\n|\t|${neededJoiner})[\p{Cc}\p{Cf}]`, 'gu');

/** Outside text as one printable line of at most `max` characters, for commit subjects, reasons and summaries. */
export function toOneLine(text: string, max = 200): string {
  return cut(beginning(text, max).replace(/\s+/gu, ' ').replace(unprintable, '').trim(), max);
}

/** Outside text of several lines, printable, at most `max` characters. */
export function boundText(text: string, max = 4_000): string {
  return cut(beginning(text, max).replace(/\r\n?/g, '\n').replace(unprintableInText, '').trim(), max);
}

/** What is looked at of a text of any length: more than is kept once blanks and what can't be printed are out. */
function beginning(text: string, max: number): string {
  return text.slice(0, 20 * max);
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // Half of a surrogate pair is not a character.
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
