import type { DoubleQuotedChild, ParsedScript, Word as RawWord, WordPart } from 'unbash';
import { Refusal } from './refusal.ts';
import type { Word } from './syntax.ts';

/**
 * The words a raw word stands for: one, or several when it holds a plain brace list (`src/{a,b}`).
 * Throws a Refusal when only bash itself could know.
 */
export function readWords(raw: RawWord): readonly Word[] {
  const braces = raw.parts?.find((part) => part.type === 'BraceExpansion');
  if (braces === undefined) return [readWord(raw)];
  return expandBraces(raw);
}

/** The one static word. Throws a Refusal for anything that bash would expand, wildcards apart. */
export function readWord(raw: RawWord): Word {
  if (raw.parts === undefined) return readBareWord(raw.text);
  const pieces = raw.parts.map(readPart);
  const isGlob = pieces.some((piece) => piece.isWild);
  const hasStatus = raw.parts.some(isStatus);
  if (isGlob && pieces.some((piece) => !piece.isWild && /[*?[\]\\]/.test(piece.text))) {
    throw dynamic(raw.text, 'mixes wildcards with quoted ones');
  }
  return { text: pieces.map((piece) => piece.text).join(''), isGlob, isPlain: false, hasStatus };
}

interface Piece {
  readonly text: string;
  readonly isWild: boolean;
}

function isStatus(part: WordPart): boolean {
  return part.type === 'DoubleQuoted' ? part.parts.some(isStatus) : part.type === 'SimpleExpansion';
}

function readPart(part: WordPart, index: number): Piece {
  switch (part.type) {
    case 'Literal':
      return { text: readBare(part.text, index === 0), isWild: false };
    case 'Glob':
      if (part.kind === 'bracket') checkBracket(part.text);
      return { text: part.text, isWild: true };
    case 'SingleQuoted':
      return { text: part.text.slice(1, -1), isWild: false };
    case 'DoubleQuoted':
      return { text: part.parts.map(readQuoted).join(''), isWild: false };
    case 'AnsiCQuoted':
      return { text: readAnsiC(part.text), isWild: false };
    case 'SimpleExpansion':
      return { text: readSpecial(part.text), isWild: false };
    default:
      throw dynamic(part.text, `is a ${part.type}`);
  }
}

function readBareWord(text: string): Word {
  const value = readBare(text, true);
  // The parser leaves no parts where nothing expands; this is a second look.
  const unescaped = text.replace(/\\./gs, '');
  if (/[*?$`'"]|\[[^\]]*\]|\{[^}]*(?:,|\.\.)[^}]*\}/.test(unescaped))
    throw dynamic(text, 'holds an expansion');
  return { text: value, isGlob: false, isPlain: value === text, hasStatus: false };
}

function readBare(text: string, isStart: boolean): string {
  if (isStart && text.startsWith('~')) throw dynamic(text, 'starts with `~`');
  // In an argument like x=~ bash expands the tilde, too.
  if (/[=:]~/.test(text)) throw dynamic(text, 'holds a `~` after `=` or `:`');
  return text.replace(/\\(.)/gs, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
}

function readQuoted(part: DoubleQuotedChild): string {
  switch (part.type) {
    case 'Literal':
      return part.text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
    case 'CommandExpansion':
      return readHereText(part.text, part.script);
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

/** `$(cat <<'EOF' … EOF)`, the usual way to write a message of several lines: text, when nothing else is in it. */
function readHereText(text: string, script: ParsedScript | undefined): string {
  const statement = script?.commands[0];
  const command = statement?.command;
  const isOne =
    script?.errors === undefined && script?.commands.length === 1 && statement?.background !== true;
  if (!text.startsWith('$(') || !isOne || command?.type !== 'Command')
    throw dynamic(text, 'is a substitution');
  const here = command.suffix[0];
  const isCat = command.name?.text === 'cat' && command.prefix.length === 0 && command.suffix.length === 1;
  if (!isCat || here?.type !== 'HereDoc' || here.descriptor !== undefined)
    throw dynamic(text, 'is a substitution');
  const isClosed = here.closing !== undefined && here.delimiter?.quoted === true;
  if (!isClosed || !/^(?:'\w+'|"\w+"|\\\w+)$/.test(here.delimiter.text)) {
    throw dynamic(text, 'holds a here-document without a quoted end mark');
  }
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

/** Plain lists alone: `{a,b}`, once or several times in a word, without quotes, nesting or ranges. */
function expandBraces(raw: RawWord): readonly Word[] {
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
    .map((text) => ({ text, isGlob: false, isPlain: false, hasStatus: false }));
}

function dynamic(text: string, why: string): Refusal {
  return new Refusal(
    'bash-dynamic',
    `${JSON.stringify(text.slice(0, 100))} ${why}. Write the words out, and put text with \`$\`, \`*\` or \`~\` in it into single quotes.`,
  );
}
