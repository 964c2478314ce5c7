import type { DoubleQuotedChild, ParsedScript, Word as RawWord, WordPart } from 'unbash';
import { readArithmetic } from './arithmetic.ts';
import { expansionOf, isFolder } from './expansions.ts';
import { dynamic, Refusal } from './refusal.ts';
import { currentFolder, type Output, outputMark, type Scope, type Word } from './syntax.ts';

/**
 * The words a raw word stands for: one, or several when it holds a plain brace list (`src/{a,b}`).
 * Throws a Refusal when only bash itself could know.
 */
export function readWords(raw: RawWord, scope: Scope): readonly Word[] {
  const braces = raw.parts?.find((part) => part.type === 'BraceExpansion');
  if (braces === undefined) return [readWord(raw, scope)];
  return expandBraces(raw);
}

/**
 * The one word. Throws a Refusal for what only bash could know; outputs of commands and wildcards are marked.
 */
export function readWord(raw: RawWord, scope: Scope): Word {
  if (raw.parts === undefined) return readBareWord(raw.text);
  const fed = feedOf(raw.parts, scope);
  if (fed !== null) return fed;
  const pieces = raw.parts.map((part, index, all) => readPart(part, { index, last: all.length - 1 }, scope));
  const isGlob = pieces.some((piece) => piece.isWild);
  const unknown = (['output', 'status'] as const).find((one) =>
    pieces.some((piece) => piece.unknown === one),
  );
  const outputs = pieces.flatMap((piece) => piece.outputs ?? []);
  const isSplit = pieces.some((piece) => piece.isSplit);
  if (isGlob && pieces.some((piece) => !piece.isWild && /[*?[\]\\]/.test(piece.text))) {
    throw dynamic(raw.text, 'mixes wildcards with quoted ones');
  }
  const text = pieces.map((piece) => piece.text).join('');
  if (outputs.length > 0 && (isGlob || (isSplit && /\s/.test(text))))
    throw dynamic(raw.text, 'mixes the output of a command with wildcards or blanks');
  const held = outputs.length > 0 && { outputs, isSplit };
  return { text, isGlob, isPlain: false, unknown: unknown ?? null, ...held };
}

interface Piece {
  readonly text: string;
  readonly isWild?: boolean;
  readonly unknown?: Word['unknown'];
  readonly outputs?: readonly Output[];
  readonly isSplit?: boolean;
}

// Under this name stands what bash calls /dev/fd/63: it may be read, and nothing else is under it.
const fedName = '/tmp/fd';

/** `<(…)` alone: the output of a command under the name of a file. */
function feedOf(parts: readonly WordPart[], scope: Scope): Word | null {
  const [only, ...others] = parts;
  if (only?.type !== 'ProcessSubstitution' || only.operator !== '<' || others.length > 0) return null;
  if (only.script === undefined) return null;
  const fed = scope.readScript(only.script, scope);
  return { text: fedName, isGlob: false, isPlain: false, unknown: null, fed };
}

function readPart(
  part: WordPart,
  { index, last }: { readonly index: number; readonly last: number },
  scope: Scope,
): Piece {
  switch (part.type) {
    case 'Literal':
      return {
        text: readBare(withoutJoins(part.text, { start: index === 0, end: index === last }), index === 0),
      };
    case 'Glob':
      if (part.kind === 'bracket') checkBracket(part.text);
      return { text: part.text, isWild: true };
    case 'SingleQuoted':
      return { text: part.text.slice(1, -1) };
    case 'DoubleQuoted':
      return joined(part.parts.map((one) => readQuoted(one, scope)));
    case 'AnsiCQuoted':
      return { text: readAnsiC(part.text) };
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
      return readUnquoted(part, scope);
    default:
      throw dynamic(part.text, `is a ${part.type}`);
  }
}

function joined(pieces: readonly Piece[]): Piece {
  const outputs = pieces.flatMap((piece) => piece.outputs ?? []);
  const unknown = (['output', 'status'] as const).find((one) =>
    pieces.some((piece) => piece.unknown === one),
  );
  return {
    text: pieces.map(({ text }) => text).join(''),
    unknown: unknown ?? null,
    ...(outputs.length > 0 && { outputs }),
  };
}

/** What expands, wherever it stands. */
function readExpansion(part: WordPart | DoubleQuotedChild, scope: Scope): Piece {
  if (isFolder(part)) return { text: currentFolder };
  if (part.type === 'ArithmeticExpansion') {
    const node = readArithmetic(part.expression, scope);
    return { text: outputMark, unknown: 'output', outputs: [{ node }] };
  }
  if (part.type !== 'CommandExpansion') return expansionOf(part, scope);
  const here = hereText(part.text, part.script);
  if (here !== null) return { text: here };
  // What stands behind a backslash within backticks the parser and bash read differently.
  if (part.script === undefined || (!part.text.startsWith('$(') && !/^`[^`\\]*`$/.test(part.text)))
    throw dynamic(part.text, 'is a substitution');
  return {
    text: outputMark,
    unknown: 'output',
    outputs: [{ node: scope.readScript(part.script, scope) }],
  };
}

/** Without quotes bash splits a value at blanks and puts file names in place of wildcards. */
function readUnquoted(part: WordPart, scope: Scope): Piece {
  const piece = readExpansion(part, scope);
  if (piece.outputs !== undefined) return { ...piece, isSplit: true };
  if (/[\s*?[\]\\]/.test(piece.text) || piece.text.includes(currentFolder) || piece.text === '')
    throw new Refusal(
      'bash-dynamic',
      `Put ${part.text} into double quotes: its value holds blanks or wildcards.`,
    );
  return piece;
}

function readBareWord(written: string): Word {
  const text = withoutJoins(written, { start: true, end: true });
  const value = readBare(text, true);
  // The parser leaves no parts where nothing expands; this is a second look.
  const unescaped = text.replace(/\\./gs, '');
  if (/[*?$`'"]|\[[^[\]]*\]/.test(unescaped) || holdsBraceList(unescaped))
    throw dynamic(text, 'holds an expansion');
  return { text: value, isGlob: false, isPlain: value === text, unknown: null };
}

/** A line may continue before and after a word. */
function withoutJoins(text: string, at: { readonly start: boolean; readonly end: boolean }): string {
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

function readBare(text: string, isStart: boolean): string {
  // bash joins lines before it looks for `$(`, `~` and the like, the parser after.
  if (/(?<!\\)(?:\\\\)*\\\n/.test(text)) throw dynamic(text, 'continues on the next line');
  if (isStart && text.startsWith('~')) throw dynamic(text, 'starts with `~`');
  // The parser takes `1<(…)` for a plain word; bash runs what is in the brackets.
  if (/[|&;()<>\s]/.test(text.replace(/\\./gs, ''))) throw dynamic(text, 'holds an operator');
  // In an argument like x=~ bash expands the tilde, too.
  if (/[=:]~/.test(text)) throw dynamic(text, 'holds a `~` after `=` or `:`');
  return text.replace(/\\(.)/gs, '$1');
}

/** A part of what is in double quotes or in a here-document. */
export function readQuoted(part: DoubleQuotedChild | WordPart, scope: Scope): Piece {
  if (part.type !== 'Literal') return readExpansion(part, scope);
  if (/\$\\\n/.test(part.text)) throw dynamic(part.text, 'continues on the next line');
  const text = part.text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
  return { text };
}

/** `$(cat <<'EOF' … EOF)`, the usual way to write a message of several lines: its text; null for anything else. */
function hereText(text: string, script: ParsedScript | undefined): string | null {
  const statement = script?.commands[0];
  const command = statement?.command;
  const isOne =
    script?.errors === undefined && script?.commands.length === 1 && statement?.background !== true;
  if (!text.startsWith('$(') || !isOne || command?.type !== 'Command') return null;
  const here = command.suffix[0];
  const isCat = command.name?.text === 'cat' && command.prefix.length === 0 && command.suffix.length === 1;
  if (!isCat || here?.type !== 'HereDoc' || here.descriptor !== undefined || here.closing === undefined)
    return null;
  // Without quotes round the mark the text may hold nothing that bash would expand.
  const isText = here.delimiter?.quoted === true || !/[$`\\]/.test(here.body.text);
  if (!isText || !/^(?:\w+|'\w+'|"\w+"|\\\w+)$/.test(here.delimiter?.text ?? '')) return null;
  const body = here.operator === '<<-' ? here.body.text.replace(/^\t+/gm, '') : here.body.text;
  return body.replace(/\n+$/, '');
}

function readAnsiC(text: string): string {
  const inner = /^\$'((?:[^\\']|\\[nt\\'"])*)'$/.exec(text)?.[1];
  if (inner === undefined) throw dynamic(text, 'holds escapes that hide what it says');
  const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
  return inner.replace(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped);
}

function checkBracket(text: string): void {
  if (!/^\[[!^]?[\w.-]+\]$/.test(text)) throw dynamic(text, 'is a wildcard that is hard to read');
}

/** Ranges of numbers, and plain lists: `{a,b}`, once or several times in a word, without quotes or nesting. */
function expandBraces(raw: RawWord): readonly Word[] {
  const [, first, last] = /^\{([1-9]\d{0,2})\.\.([1-9]\d{0,2})\}$/.exec(raw.text) ?? [];
  if (first !== undefined && Number(last) >= Number(first) && Number(last) - Number(first) < 100) {
    const numbers = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => at + Number(first));
    return numbers.map((one) => ({ text: `${one}`, isGlob: false, isPlain: false, unknown: null }));
  }
  const pieces = /^(?:[\w./@%+,:=-]|\{[\w./@%+:-]*(?:,[\w./@%+:-]*)+\})+$/.test(raw.text);
  if (!pieces) throw dynamic(raw.text, 'is a brace expansion');
  const choices = raw.text
    .split(/\{([^}]*)\}/)
    .map((part, index) => (index % 2 === 1 ? part.split(',') : [part]));
  const count = choices.reduce((product, choice) => product * choice.length, 1);
  if (count > 100) throw dynamic(raw.text, 'stands for too many words');
  return choices
    .reduce<string[]>((heads, choice) => heads.flatMap((head) => choice.map((tail) => head + tail)), [''])
    .filter((text) => text !== '')
    .map((text) => ({ text, isGlob: false, isPlain: false, unknown: null }));
}
