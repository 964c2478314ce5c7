import type { DoubleQuotedChild, ParameterExpansionPart, Word as RawWord, WordPart } from 'unbash';
import { dynamic } from './refusal.ts';
import { currentFolder, outputMark, type Scope, type Word } from './syntax.ts';

/** What a part of a word stands for. */
type Value = Pick<Word, 'text' | 'unknown' | 'outputs'>;

type Raw = WordPart | DoubleQuotedChild;

// Variables that print nothing but a number.
const counts = /^\$(?:[?#]|\{[?#]\}|\{#\w+\}|\{PIPESTATUS\[\d\]\}|\{?(?:RANDOM|SECONDS|LINENO|UID|EUID)\}?)$/;
const secret = /key|token|secret|passw|credential|auth/i;
const anyText: Value = { text: outputMark, unknown: 'output', outputs: [{}] };
const anyNumber: Value = {
  text: outputMark,
  unknown: 'output',
  outputs: [{ node: { kind: 'number', runs: [], numbers: [] }, isGiven: true }],
};

/**
 * What `$name`, `${name}` and `${name%.ts}` stand for; a variable that was not set here may only be shown.
 */
export function expansionOf(part: Raw, scope: Scope): Value {
  if (isFolder(part)) return { text: currentFolder, unknown: null };
  if (counts.test(part.text)) return { text: '0', unknown: 'status' };
  if (/^\$(?:\$|\{\$\})$/.test(part.text)) return anyNumber;
  const plain = /^\$(\w+)$/.exec(part.text)?.[1];
  if (part.type === 'SimpleExpansion' && plain !== undefined) return variableValue(plain, scope);
  if (part.type !== 'ParameterExpansion' || !/^\$\{\w/.test(part.text) || part.index !== undefined)
    throw dynamic(part.text, 'is a variable');
  const value = variableValue(part.parameter, scope);
  return part.operation === undefined ? value : changed(value, part);
}

/** `$PWD` and `$(pwd)`: bash alone sets it, and `cd` is followed. */
export function isFolder(part: Raw): boolean {
  return /^\$(?:PWD|\{PWD\}|\( ?pwd ?\))$/.test(part.text) && part.type !== 'Literal';
}

function variableValue(name: string, scope: Scope): Value {
  const value = scope.values.get(name);
  if (value !== undefined) return value;
  if (scope.numbers.has(name)) return anyNumber;
  // The cell's own, like /tmp.
  if (name === 'TMPDIR') return { text: '/tmp', unknown: null };
  if (secret.test(name)) throw dynamic(`$${name}`, 'is a variable that could hold a key');
  return anyText;
}

function changed(value: Value, part: ParameterExpansionPart): Value {
  const change = changeOf(part);
  if (change === null) return anyText;
  if (value.unknown === null) return { ...value, text: change(value.text) };
  const [output, ...others] = value.outputs ?? [];
  const isWhole = others.length === 0 && value.text === outputMark && output?.change === undefined;
  return isWhole ? { ...value, outputs: [{ ...output, change }] } : anyText;
}

/** What the operation makes of a text; null: hard to say. Throws where it could run or set something. */
function changeOf({ text, operation }: ParameterExpansionPart): ((value: string) => string) | null {
  switch (operation?.type) {
    case 'Remove': {
      const pattern = patternOf(operation.operand, text);
      return pattern === null ? null : (value) => removed(value, operation.operator, pattern);
    }
    case 'Replace': {
      const [from, to] = [plainText(operation.pattern, text), plainText(operation.replacement, text)];
      const isPlain = operation.pattern?.parts === undefined && from !== '' && !/^[#%]/.test(from);
      if (!isPlain) return null;
      return (value) =>
        operation.operator === '//' ? value.replaceAll(from, to) : value.replace(from, () => to);
    }
    case 'Default': {
      const other = plainText(operation.operand, text);
      if (/=/.test(operation.operator)) throw dynamic(text, 'sets a variable');
      if (operation.operator === ':-') return (value) => (value === '' ? other : value);
      return operation.operator === ':?' ? (value) => value : null;
    }
    case 'Slice': {
      const numbers = [operation.offset.text, operation.length?.text ?? '0'];
      // Where it starts is computed.
      if (numbers.every((one) => /^ ?-?\d{1,9}$/.test(one))) return null;
      throw dynamic(text, 'computes with variables');
    }
    case 'CaseModification':
      plainText(operation.operand, text);
      return null;
    default:
      throw dynamic(text, 'is an expansion');
  }
}

/** The text of an operand in which nothing is expanded. */
function plainText(word: RawWord | undefined, within: string): string {
  const parts = word?.parts ?? [];
  const isStatic = parts.every(
    (one) =>
      /^(?:Literal|Glob|SingleQuoted)$/.test(one.type) ||
      (one.type === 'DoubleQuoted' && one.parts.every(({ type }) => type === 'Literal')),
  );
  if (!isStatic || /[$`\\]/.test(word?.text ?? '')) throw dynamic(within, 'is an expansion');
  return word?.value ?? '';
}

/** The pattern of `%` and `#` as a source of a regular expression; null: hard to read. */
function patternOf(word: RawWord | undefined, within: string): string | null {
  const text = plainText(word, within);
  if (/[[\]"']/.test(word?.text ?? '')) return null;
  return text.replace(/[\s\S]/g, (one) =>
    one === '*' ? '[^]*' : one === '?' ? '[^]' : one.replace(/[.+^${}()|\\/-]/, '\\$&'),
  );
}

function removed(value: string, operator: string, pattern: string): string {
  const isLong = operator.length === 2;
  const isStart = operator.startsWith('#');
  const whole = new RegExp(`^(?:${pattern})$`);
  const cuts = Array.from({ length: value.length + 1 }, (_, at) => (isLong ? value.length - at : at));
  for (const count of cuts) {
    const cut = isStart ? value.slice(0, count) : value.slice(value.length - count);
    if (whole.test(cut)) return isStart ? value.slice(count) : value.slice(0, value.length - count);
  }
  return value;
}
