import type { DoubleQuotedChild, ParsedScript, Word as RawWord, WordPart } from 'unbash';
import { Refusal } from './refusal.ts';
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

/** The one static word. Throws a Refusal for anything that bash would expand, wildcards apart. */
export function readWord(raw: RawWord, scope: Scope): Word {
  if (raw.parts === undefined) return readBareWord(raw.text);
  const names = fileNames(raw.parts, scope);
  if (names !== null) return names;
  const pieces = raw.parts.map((part, index, all) => readPart(part, { index, last: all.length - 1 }, scope));
  const isGlob = pieces.some((piece) => piece.isWild);
  const unknowns = raw.parts.flatMap((part) => unknownsOf(part, scope));
  const unknown = (['name', 'output', 'status'] as const).find((one) => unknowns.includes(one)) ?? null;
  const outputs = raw.parts.flatMap((part) => outputsOf(part, scope));
  const isSplit = raw.parts.some((part) => part.type !== 'DoubleQuoted' && outputsOf(part, scope).length > 0);
  if (isGlob && pieces.some((piece) => !piece.isWild && /[*?[\]\\]/.test(piece.text))) {
    throw dynamic(raw.text, 'mixes wildcards with quoted ones');
  }
  const text = pieces.map((piece) => piece.text).join('');
  if (outputs.length > 0 && (isGlob || (isSplit && /\s/.test(text))))
    throw dynamic(raw.text, 'mixes the output of a command with wildcards or blanks');
  return { text, isGlob, isPlain: false, unknown, ...(outputs.length > 0 && { outputs, isSplit }) };
}

interface Piece {
  readonly text: string;
  readonly isWild: boolean;
}

/** `"$f"` alone, where f goes through the files of a wildcard: as if they were all named at once. */
function fileNames(parts: readonly WordPart[], scope: Scope): Word | null {
  const [only, ...others] = parts;
  if (only?.type !== 'DoubleQuoted' || others.length > 0 || only.parts.length !== 1) return null;
  const value = only.parts[0] === undefined ? undefined : loopValue(only.parts[0], scope);
  return value?.isGlob === true ? value : null;
}

/** What `$f` or `${f}` stands for; undefined where no loop says. */
function loopValue(part: WordPart | DoubleQuotedChild, scope: Scope): Word | undefined {
  if (part.type !== 'SimpleExpansion' && part.type !== 'ParameterExpansion') return undefined;
  const name = /^\$(?:([A-Za-z]\w*|[1-9])|\{([A-Za-z]\w*|[1-9])\})$/.exec(part.text);
  return name === null ? undefined : scope.values.get(name[1] ?? name[2] ?? '');
}

function unknownsOf(
  part: WordPart | DoubleQuotedChild,
  scope: Scope,
): readonly ('status' | 'name' | 'output')[] {
  if (part.type === 'DoubleQuoted') return part.parts.flatMap((one) => unknownsOf(one, scope));
  if (isFolder(part)) return [];
  if (part.type === 'CommandExpansion') return scriptOf(part) === null ? [] : ['output'];
  const value = loopValue(part, scope);
  if (value?.unknown === 'output') return ['output'];
  if (value !== undefined) return value.isGlob ? ['name'] : [];
  return part.type === 'SimpleExpansion' ? ['status'] : [];
}

/** The command whose output stands within double quotes; null for anything else. */
function scriptOf(part: WordPart | DoubleQuotedChild): ParsedScript | null {
  if (part.type !== 'CommandExpansion' || part.script === undefined) return null;
  // What stands behind a backslash within backticks the parser and bash read differently.
  if (!part.text.startsWith('$(') && !/^`[^`\\]*`$/.test(part.text)) return null;
  return isFolder(part) || hereText(part.text, part.script) !== null ? null : part.script;
}

function outputsOf(part: WordPart | DoubleQuotedChild, scope: Scope): readonly Output[] {
  if (part.type === 'DoubleQuoted') return part.parts.flatMap((one) => outputsOf(one, scope));
  const script = scriptOf(part);
  if (script !== null) return [{ script }];
  return loopValue(part, scope)?.outputs ?? [];
}

/** `$PWD` and `$(pwd)`: bash alone sets it, and `cd` is followed. */
function isFolder(part: WordPart | DoubleQuotedChild): boolean {
  return /^\$(?:PWD|\{PWD\}|\( ?pwd ?\))$/.test(part.text) && part.type !== 'Literal';
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
        isWild: false,
      };
    case 'Glob':
      if (part.kind === 'bracket') checkBracket(part.text);
      return { text: part.text, isWild: true };
    case 'SingleQuoted':
      return { text: part.text.slice(1, -1), isWild: false };
    case 'DoubleQuoted':
      return { text: part.parts.map((one) => readQuoted(one, scope)).join(''), isWild: false };
    case 'AnsiCQuoted':
      return { text: readAnsiC(part.text), isWild: false };
    case 'SimpleExpansion':
    case 'ParameterExpansion':
      return { text: readUnquoted(part, scope), isWild: false };
    case 'CommandExpansion':
      if (scriptOf(part) === null) throw dynamic(part.text, 'is a substitution');
      return { text: outputMark, isWild: false };
    default:
      throw dynamic(part.text, `is a ${part.type}`);
  }
}

/** Without quotes bash splits a value at blanks and puts file names in place of wildcards. */
function readUnquoted(part: WordPart, scope: Scope): string {
  const value = loopValue(part, scope);
  if (value === undefined) return readSpecial(part.text);
  if (value.isGlob) return '0';
  if (value.unknown === 'output') return value.text;
  if (/[\s*?[\]\\]/.test(value.text) || value.text.includes(currentFolder) || value.text === '') {
    throw new Refusal(
      'bash-dynamic',
      `Put ${part.text} into double quotes: its value holds blanks or wildcards.`,
    );
  }
  return value.text;
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

/** A line may go on before and after a word. */
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
  if (/(?<!\\)(?:\\\\)*\\\n/.test(text)) throw dynamic(text, 'goes on in the next line');
  if (isStart && text.startsWith('~')) throw dynamic(text, 'starts with `~`');
  // The parser takes `1<(…)` for a plain word; bash runs what is in the brackets.
  if (/[|&;()<>\s]/.test(text.replace(/\\./gs, ''))) throw dynamic(text, 'holds an operator');
  // In an argument like x=~ bash expands the tilde, too.
  if (/[=:]~/.test(text)) throw dynamic(text, 'holds a `~` after `=` or `:`');
  return text.replace(/\\(.)/gs, '$1');
}

function readQuoted(part: DoubleQuotedChild, scope: Scope): string {
  if (isFolder(part)) return currentFolder;
  const value = loopValue(part, scope);
  if (value !== undefined) return value.isGlob ? '0' : value.text;
  switch (part.type) {
    case 'Literal':
      if (/\$\\\n/.test(part.text)) throw dynamic(part.text, 'goes on in the next line');
      return part.text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
    case 'CommandExpansion': {
      if (scriptOf(part) !== null) return outputMark;
      const here = hereText(part.text, part.script);
      if (here === null) throw dynamic(part.text, 'is a substitution');
      return here;
    }
    case 'SimpleExpansion':
      return readSpecial(part.text);
    default:
      throw dynamic(part.text, `is a ${part.type}`);
  }
}

/** `$?` is always a small number; nothing else is known in advance. */
function readSpecial(text: string): string {
  if (text === '$?') return '0';
  throw dynamic(text, 'is a variable');
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

function dynamic(text: string, why: string): Refusal {
  return new Refusal(
    'bash-dynamic',
    `${JSON.stringify(text.slice(0, 100))} ${why}. Write the words out, and put text with \`$\`, \`*\` or \`~\` in it into single quotes.`,
  );
}
