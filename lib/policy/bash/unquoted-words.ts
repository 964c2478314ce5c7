import type { Word as RawWord } from 'unbash';
import { dynamicTextRefusal, type ShellWord, unknownTextMarks } from './shell-command-types.ts';

/** A word without quotes in which nothing expands. Throws a Refusal where the parser may have missed something. */
export function unescapePlainWord(written: string): ShellWord {
  const text = dropLineContinuations(written, { start: true, end: true });
  // The parser leaves no parts where nothing expands; this is a second look.
  const unescaped = text.replace(/\\./gs, '');
  if (/[*?$`'"]|\[[^[\]]*\]/.test(unescaped) || holdsBraceList(unescaped))
    throw dynamicTextRefusal(text, 'contains an expansion');
  return { values: [dropBackslashes(text)], isGlob: false, isSplit: false };
}

/** A line may continue before and after a word. */
export function dropLineContinuations(text: string, at: { readonly start: boolean; readonly end: boolean }): string {
  const begun = at.start ? text.slice(/^(?:\\\n)*/.exec(text)?.[0].length ?? 0) : text;
  let end = begun.length;
  while (at.end && begun.slice(end - 2, end) === '\\\n' && !isEscaped(begun, end - 2)) end -= 2;
  return begun.slice(0, end);
}

/** Whether the character stands behind an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function holdsBraceList(text: string): boolean {
  const heads = text.split('}').slice(0, -1);
  return heads.some((head) => head.includes('{') && /,|\.\./.test(head.slice(head.indexOf('{'))));
}

/** The text without the backslashes before its characters. Throws a Refusal for what bash reads otherwise. */
export function dropBackslashes(text: string): string {
  // bash joins lines before it looks for `$(`, `~` and the like, the parser after.
  if (/(?<!\\)(?:\\\\)*\\\n/.test(text)) throw dynamicTextRefusal(text, 'continues on the next line');
  // The parser takes `1<(…)` for a plain word; bash runs what is in the brackets.
  if (/[|&;()<>\s]/.test(text.replace(/\\./gs, ''))) throw dynamicTextRefusal(text, 'contains an operator');
  return text.replace(/\\(.)/gs, '$1');
}

/** The text of `$'…'`. */
export function readAnsiCString(text: string): string {
  const inner = /^\$'((?:[^\\']|\\[nt\\'"])*)'$/.exec(text)?.[1];
  if (inner === undefined) throw dynamicTextRefusal(text, 'contains escapes that hide its text');
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
  return inner.replace(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped);
}

/** Ranges of numbers, and plain lists: `{a,b}`, once or several times in a word, without quotes or nesting. */
export function expandBraces(raw: RawWord): readonly ShellWord[] {
  const asWord = (text: string): ShellWord => ({ values: [text], isGlob: false, isSplit: false });
  const [, first, last] = /^\{(\d{1,3})\.\.(\d{1,3})\}$/.exec(raw.text) ?? [];
  if (first !== undefined) return [{ values: [unknownTextMarks.number], isGlob: false, isSplit: false }];
  const pieces = /^(?:[\w./@%+,:=-]|\{[\w./@%+:-]*(?:,[\w./@%+:-]*)+\})+$/.test(raw.text);
  if (!pieces || last !== undefined) throw dynamicTextRefusal(raw.text, 'is a brace expansion');
  const choices = raw.text.split(/\{([^}]*)\}/).map((part, index) => (index % 2 === 1 ? part.split(',') : [part]));
  if (choices.reduce((product, choice) => product * choice.length, 1) > 100)
    throw dynamicTextRefusal(raw.text, 'stands for too many words');
  return choices
    .reduce<string[]>((heads, choice) => heads.flatMap((head) => choice.map((tail) => head + tail)), [''])
    .filter((text) => text !== '')
    .map(asWord);
}
