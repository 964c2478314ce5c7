import type { DoubleQuotedChild, ParameterExpansionPart, ParsedScript, Word as RawWord, WordPart } from 'unbash';
import { findPossibleOutputs } from './possible-outputs.ts';
import { dynamicTextRefusal, type ShellWord, unknownTextMarks, type VariableValues } from './shell-command-types.ts';
import {
  dropBackslashes,
  dropLineContinuations,
  expandBraces,
  readAnsiCString,
  unescapePlainWord,
} from './unquoted-words.ts';

// A word that could stand for more than this stands for anything.
const mostValues = 64;

/** The words that a raw word stands for: one, or several where it holds a plain brace list (`src/{a,b}`). */
export function readWords(raw: RawWord, values: VariableValues): readonly ShellWord[] {
  const isBraces = raw.parts?.some((part) => part.type === 'BraceExpansion') === true;
  return isBraces ? expandBraces(raw) : [readWord(raw, values)];
}

/** The one word, with all the texts it may stand for. Throws a Refusal for what only bash could read. */
export function readWord(raw: RawWord, values: VariableValues): ShellWord {
  if (raw.parts === undefined) return unescapePlainWord(raw.text);
  const [only] = raw.parts;
  if (only?.type === 'ProcessSubstitution' && raw.parts.length === 1)
    return { values: [unknownTextMarks.stream], isGlob: false, isSplit: false };
  const pieces = raw.parts.map((part, index, all) =>
    readPart(part, { isFirst: index === 0, isLast: index === all.length - 1 }, values),
  );
  const isGlob = pieces.some((piece) => piece.isWild);
  // A quoted wildcard is a plain character.
  const isMixed = isGlob && pieces.some((piece) => !piece.isWild && piece.values.some(isWildText));
  return {
    values: isMixed ? [unknownTextMarks.any] : combine(pieces.map((piece) => piece.values)),
    isGlob: isGlob && !isMixed,
    isSplit: pieces.some((piece) => piece.isBare),
  };
}

interface Piece {
  readonly values: readonly string[];
  readonly isWild?: boolean;
  /** An expansion without quotes: bash takes it apart at blanks. */
  readonly isBare?: boolean;
}

function isWildText(text: string): boolean {
  return /[*?[\]\\]/.test(text);
}

function combine(parts: readonly (readonly string[])[]): readonly string[] {
  let all: readonly string[] = [''];
  for (const part of parts) {
    all = [...new Set(all.flatMap((head) => part.map((tail) => head + tail)))];
    if (all.length > mostValues) return [unknownTextMarks.any];
  }
  return all;
}

function readPart(
  part: WordPart,
  at: { readonly isFirst: boolean; readonly isLast: boolean },
  values: VariableValues,
): Piece {
  switch (part.type) {
    case 'Literal':
      return {
        values: [dropBackslashes(dropLineContinuations(part.text, { start: at.isFirst, end: at.isLast }))],
      };
    case 'Glob':
      if (part.kind === 'bracket' && !/^\[[!^]?[\w.-]+\]$/.test(part.text))
        throw dynamicTextRefusal(part.text, 'is a wildcard that is too complex');
      return { values: [part.text], isWild: true };
    case 'SingleQuoted':
      return { values: [part.text.slice(1, -1)] };
    case 'DoubleQuoted':
      return { values: combine(part.parts.map((one) => readQuoted(one, values))) };
    case 'AnsiCQuoted':
      return { values: [readAnsiCString(part.text)] };
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
      return { values: readExpansion(part, values), isBare: true };
    default:
      throw dynamicTextRefusal(part.text, `is a ${part.type}`);
  }
}

/** The values of a part of what is in double quotes or in a here-document. */
export function readQuoted(part: DoubleQuotedChild | WordPart, values: VariableValues): readonly string[] {
  if (part.type !== 'Literal') return readExpansion(part, values);
  if (/\$\\\n/.test(part.text)) throw dynamicTextRefusal(part.text, 'continues on the next line');
  return [part.text.replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped))];
}

function readExpansion(part: DoubleQuotedChild | WordPart, values: VariableValues): readonly string[] {
  if (/^\$(?:PWD|\{PWD\})$/.test(part.text)) return [unknownTextMarks.here];
  if (part.type === 'ArithmeticExpansion') return [unknownTextMarks.number];
  if (part.type === 'CommandExpansion') {
    const here = hereText(part.text, part.script);
    if (here !== null) return [here];
    // The parser and bash differ on the text behind a backslash within backticks.
    if (part.script === undefined || !(part.text.startsWith('$(') || /^`[^`\\]*`$/.test(part.text)))
      throw dynamicTextRefusal(part.text, 'is a substitution');
    return findPossibleOutputs(part.script, (word) => readWords(word, values));
  }
  if (part.type === 'SimpleExpansion') return readVariable(part.text.slice(1), values);
  if (part.type !== 'ParameterExpansion') throw dynamicTextRefusal(part.text, `is a ${part.type}`);
  if (part.index !== undefined && !/^(?:\d+|[@*])$/.test(part.index.text))
    throw dynamicTextRefusal(part.text, 'computes an index');
  if (part.prefix === '!') throw dynamicTextRefusal(part.text, 'names another variable');
  if (part.prefix === '#') return [unknownTextMarks.number];
  const plain = part.index === undefined ? readVariable(part.parameter, values) : [unknownTextMarks.any];
  return part.operation === undefined ? plain : changed(plain, part, values);
}

const secret = /key|token|secret|passw|credential|auth/i;
const numbers = /^(?:[?#$!]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID)$/;

function readVariable(name: string, values: VariableValues): readonly string[] {
  if (numbers.test(name)) return [unknownTextMarks.number];
  const known = values.get(name);
  if (known !== undefined) return [...known];
  if (name === 'PWD') return [unknownTextMarks.here];
  // The cell's own, like /tmp.
  if (name === 'TMPDIR') return ['/tmp'];
  if (name === 'HOME') return ['~'];
  if (secret.test(name)) throw dynamicTextRefusal(`$${name}`, 'is a variable that could hold a key');
  return [unknownTextMarks.any];
}

/** The values after the operation of `${name…}`. Throws a Refusal where it could run or set something. */
function changed(
  plain: readonly string[],
  { operation, text, parameter: name }: ParameterExpansionPart,
  values: VariableValues,
): readonly string[] {
  switch (operation?.type) {
    case 'Remove': {
      const pattern = staticText(operation.operand);
      return pattern === null ? [unknownTextMarks.any] : plain.map((one) => removed(one, operation.operator, pattern));
    }
    case 'Replace': {
      const [from, to] = [staticText(operation.pattern), staticText(operation.replacement)];
      if (from === null || to === null || isWildText(from) || !/^\/\/?$/.test(operation.operator))
        return [unknownTextMarks.any];
      return plain.map((one) => (operation.operator === '//' ? one.replaceAll(from, to) : one.replace(from, () => to)));
    }
    case 'Default': {
      if (operation.operator.endsWith('=')) throw dynamicTextRefusal(text, 'sets a variable');
      if (operation.operator.endsWith('?')) return plain;
      const other = readWord(operation.operand, values).values;
      // A variable that is set and not empty keeps its value.
      const isSet = values.has(name) && plain.every((one) => one !== '' && one !== unknownTextMarks.any);
      if (isSet && operation.operator.endsWith('-')) return plain;
      return operation.operator.endsWith('+') ? ['', ...other] : [...new Set([...plain, ...other])];
    }
    case 'Slice': {
      // Bash computes with them.
      const offsets = [operation.offset.text, operation.length?.text ?? '0'];
      if (!offsets.every((one) => /^ ?-?\d{1,9}$/.test(one))) throw dynamicTextRefusal(text, 'computes with variables');
      return plain.every((one) => one === unknownTextMarks.plain || one === unknownTextMarks.number)
        ? plain
        : [unknownTextMarks.any];
    }
    case 'CaseModification':
      return [unknownTextMarks.any];
    default:
      throw dynamicTextRefusal(text, 'is an expansion');
  }
}

/** The text of an operand in which nothing is expanded; null: something is. */
function staticText(word: RawWord | undefined): string | null {
  const parts = word?.parts ?? [];
  const isStatic = parts.every(
    (one) =>
      /^(?:Literal|Glob|SingleQuoted)$/.test(one.type) ||
      (one.type === 'DoubleQuoted' && one.parts.every(({ type }) => type === 'Literal')),
  );
  return isStatic && !/[$`\\]/.test(word?.text ?? '') ? (word?.value ?? '') : null;
}

function removed(value: string, operator: string, pattern: string): string {
  if (unknownTextMarks.isIn(value))
    return operator === '##' && pattern === '*/'
      ? unknownTextMarks.plain
      : operator.startsWith('%')
        ? value
        : unknownTextMarks.any;
  if (/[[\]"']/.test(pattern)) return unknownTextMarks.any;
  const source = pattern.replace(/[\s\S]/g, (one) =>
    one === '*' ? '[^]*' : one === '?' ? '[^]' : one.replace(/[.+^${}()|\\/-]/, '\\$&'),
  );
  const whole = new RegExp(`^(?:${source})$`);
  const isLong = operator.length === 2;
  const cuts = Array.from({ length: value.length + 1 }, (_, at) => (isLong ? value.length - at : at));
  for (const count of cuts) {
    if (operator.startsWith('#') && whole.test(value.slice(0, count))) return value.slice(count);
    if (operator.startsWith('%') && whole.test(value.slice(value.length - count)))
      return value.slice(0, value.length - count);
  }
  return value;
}

/** `$(cat <<'EOF' … EOF)`, the usual way to write a message of several lines: its text; null for anything else. */
function hereText(text: string, script: ParsedScript | undefined): string | null {
  const statement = script?.commands[0];
  const command = statement?.command;
  const isOne = script?.errors === undefined && script?.commands.length === 1 && statement?.background !== true;
  if (!text.startsWith('$(') || !isOne || command?.type !== 'Command') return null;
  const here = command.suffix[0];
  const isCat = command.name?.text === 'cat' && command.prefix.length === 0 && command.suffix.length === 1;
  if (!isCat || here?.type !== 'HereDoc' || here.descriptor !== undefined || here.closing === undefined) return null;
  // Without quotes round the mark the text may hold nothing that bash would expand.
  const isText = here.delimiter?.quoted === true || !/[$`\\]/.test(here.body.text);
  if (!isText || !/^(?:\w+|'\w+'|"\w+"|\\\w+)$/.test(here.delimiter?.text ?? '')) return null;
  const body = here.operator === '<<-' ? here.body.text.replace(/^\t+/gm, '') : here.body.text;
  return body.replace(/\n+$/, '');
}
