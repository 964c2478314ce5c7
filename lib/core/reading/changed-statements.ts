import type { Hunk } from '../../domain/state/patch.ts';
import { isRealLine } from './changed-text.ts';
import type { Language } from './file-kind.ts';

/** What decides whether a test passes, over all of its lines that a hunk shows. */
export interface Statement {
  /** value: one to compare with, by its name; row: one of a table of cases. */
  readonly kind: 'assertion' | 'value' | 'row';
  readonly tokens: readonly Token[];
  /** The changed lines it has, by their place: those that follow each other have one. */
  readonly place: number;
}

interface Token {
  /** A string stands in double quotes, however it is written. */
  readonly text: string;
  /** As it is written, with a blank where some stand before it. */
  readonly raw: string;
}

export interface StatementRules {
  readonly language: Language;
  /** Whether a line asserts something. */
  readonly assertion: RegExp;
}

/** The changed statements on both sides of a hunk, without those that stand on both. */
export function readChangedStatements(hunk: Hunk, rules: StatementRules): readonly (readonly Statement[])[] {
  let last = 0;
  const lines = hunk.lines.map(({ kind, text }) => {
    if (kind === 'context') last += 1;
    return { kind, text: text.slice(0, widest).replace(comment, ''), place: kind === 'context' ? null : last };
  });
  const [before = [], after = []] = (['insert', 'delete'] as const).map((other) =>
    readStatements(
      lines.filter(({ kind }) => kind !== other),
      rules,
    ),
  );
  const keysOf = (all: readonly Statement[]): ReadonlySet<string> => new Set(all.map(keyOf));
  const [old, now] = [keysOf(before), keysOf(after)];
  return [before.filter((one) => !now.has(keyOf(one))), after.filter((one) => !old.has(keyOf(one)))];
}

function keyOf({ tokens }: Statement): string {
  return tokens.map(({ text }) => text).join(' ');
}

const definition = /^\s*(?:async\s+)?(?:(?:def|fn|func|function)\s|(?:public|private|protected|static|void)\b[^=]*\()/;
const value = /\b(?:want\w*|expected\w*|expect|exp)["']?\s*(?::=|[:=](?![:=]))|\braises\((?!(?:Base)?Exception\b)/;
const comparison = /^\s*(?:\}\s*else\s+)?if\b.*!=/;
const row = /^\s*[[({].*[\])}],?\s*$/;

function kindOf(line: string, { language, assertion }: StatementRules): Statement['kind'] | null {
  if (language === 'other' || !isRealLine(line) || definition.test(line)) return null;
  if (value.test(line) || (language === 'go' && comparison.test(line))) return 'value';
  return assertion.test(line) ? 'assertion' : row.test(line) ? 'row' : null;
}

const widest = 1_000;
const mostLines = 30;
const longest = 2_000;

interface PlacedLine {
  readonly text: string;
  readonly place: number | null;
}

function readStatements(lines: readonly PlacedLine[], rules: StatementRules): readonly Statement[] {
  const found: Statement[] = [];
  for (let at = 0, end = 0; at < lines.length; at = end) {
    const { text = '' } = lines[at] ?? {};
    const kind = kindOf(text, rules);
    end = kind === null || kind === 'row' || comparison.test(text) ? at + 1 : findEnd(lines, at);
    const own = lines.slice(at, end);
    const place = own.find((line) => line.place !== null)?.place ?? null;
    const words = own.map((line) => line.text).join('\n');
    if (kind !== null && place !== null) found.push({ kind, place, tokens: readTokens(words.slice(0, longest)) });
  }
  return found;
}

/** The line after the one that closes what a statement opens. */
function findEnd(lines: readonly PlacedLine[], start: number): number {
  const last = Math.min(lines.length, start + mostLines);
  let depth = 0;
  for (let at = start; at < last; at += 1) {
    const { text = '' } = lines[at] ?? {};
    if (at > start && depth <= 0 && !/^\s*[.+]/.test(text) && !/[=+]\s*$/.test(lines[at - 1]?.text ?? '')) return at;
    for (const token of readTokens(text)) depth += depthOf(token.text);
  }
  return last;
}

/** By how much a token opens brackets. */
export function depthOf(token: string): number {
  return ['(', '[', '{'].includes(token) ? 1 : [')', ']', '}'].includes(token) ? -1 : 0;
}

const comment = /(?:^|\s)(?:#|\/\/)(?:\s.*)?$/;
// Strings end where the text does, or soon: none is looked for again and again.
const token =
  /\s*("(?:[^"\\]|\\.)*(?:"|$)|`(?:[^`\\]|\\.)*(?:`|$)|'(?:[^'\\\n]|\\.){0,300}'|\.not\b|\.?[\w$]+(?:\.(?!not\b)[\w$]+)*(?:!(?=\())?|\S)/g;

function readTokens(text: string): readonly Token[] {
  return [...text.trim().matchAll(token)].map(([raw, one = '']) => ({
    raw: raw.replace(/^\s+/, ' '),
    text: /^["'`][\s\S]/.test(one) ? `"${one.slice(1, -1).replace(/\\(?=["'`])/g, '')}"` : one,
  }));
}
