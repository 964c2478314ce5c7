import { type ChangedText, isRealLine } from './changed-text.ts';

/** A statement of a test that decides whether it passes, over all of its lines. */
export interface Statement {
  /** value: one to compare with, by its name; comparison: an `if` that fails a test; row: one of a table of cases. */
  readonly kind: 'assertion' | 'value' | 'comparison' | 'row';
  readonly tokens: readonly Token[];
  /** The changed place it reaches into: lines of the patch that follow each other. */
  readonly place: number;
}

interface Token {
  /** A string stands in double quotes, however it is written. */
  readonly text: string;
  /** As it is written, with the blanks before it. */
  readonly raw: string;
}

export interface StatementRules {
  readonly language: ChangedText['language'];
  /** Whether a line asserts something. */
  readonly assertion: RegExp;
}

/** The statements of both sides of a file that a change reaches into, without those that stand on both. */
export function readChangedStatements(
  { before, after, hunks }: Pick<ChangedText, 'before' | 'after' | 'hunks'>,
  rules: StatementRules,
): { readonly before: readonly Statement[]; readonly after: readonly Statement[] } {
  const places: Places = { delete: new Map(), insert: new Map(), last: 0 };
  for (const hunk of hunks) numberPlaces(hunk, places);
  const old = readStatements(before, places.delete, rules);
  const now = readStatements(after, places.insert, rules);
  const without = (all: readonly Statement[], others: readonly Statement[]): readonly Statement[] => {
    const known = new Set(others.map(keyOf));
    return all.filter((one) => !known.has(keyOf(one)));
  };
  return { before: without(old, now), after: without(now, old) };
}

function keyOf({ tokens }: Statement): string {
  return tokens.map(({ text }) => text).join(' ');
}

/** By the number of a changed line on its side. */
interface Places {
  readonly delete: Map<number, number>;
  readonly insert: Map<number, number>;
  last: number;
}

function numberPlaces({ oldStart, newStart, lines }: ChangedText['hunks'][number], places: Places): void {
  let [old, now] = [oldStart, newStart];
  places.last += 1;
  for (const { kind } of lines) {
    if (kind === 'context') places.last += 1;
    else places[kind].set(kind === 'delete' ? old : now, places.last);
    if (kind !== 'insert') old += 1;
    if (kind !== 'delete') now += 1;
  }
}

const definition = /^\s*(?:async\s+)?(?:(?:def|fn|func|function)\s|(?:public|private|protected|static|void)\b[^=]*\()/;
const value = /\b(?:want\w*|expected\w*|expect|exp)["']?\s*(?::=|[:=](?![:=]))|\braises\((?!(?:Base)?Exception\b)/;
const comparison = /^\s*(?:\}\s*else\s+)?if\b.*!=/;
const row = /^\s*[[({].*[\])}],?\s*$/;

function kindOf(line: string, { language, assertion }: StatementRules): Statement['kind'] | null {
  if (line.length > widest || language === 'other' || !isRealLine(line) || definition.test(line)) return null;
  if (language === 'go' && comparison.test(line)) return 'comparison';
  if (value.test(line)) return 'value';
  return assertion.test(line) ? 'assertion' : row.test(line) ? 'row' : null;
}

const widest = 1_000;
const mostLines = 30;
const longest = 2_000;

function readStatements(text: string, places: ReadonlyMap<number, number>, rules: StatementRules): Statement[] {
  const lines = text.split('\n').map((line) => line.replace(comment, ''));
  const found: Statement[] = [];
  for (let at = 0, end = 0; places.size > 0 && at < lines.length; at = end) {
    end = at + 1;
    const kind = kindOf(lines[at] ?? '', rules);
    if (kind === null) continue;
    if (kind === 'assertion' || kind === 'value') end = findEnd(lines, at);
    const own = lines.slice(at, end);
    const place = own.map((_, index) => places.get(at + index + 1)).find((one) => one !== undefined);
    if (place !== undefined) found.push({ kind, tokens: readTokens(own.join('\n').slice(0, longest).trim()), place });
  }
  return found;
}

/** The line after the one that closes what a statement opens. */
function findEnd(lines: readonly string[], start: number): number {
  const last = Math.min(lines.length, start + mostLines);
  let depth = 0;
  for (let at = start; at < last; at += 1) {
    const line = (lines[at] ?? '').slice(0, widest);
    if (at > start && depth <= 0 && !/^\s*[.+]/.test(line) && !/[=+]\s*$/.test(lines[at - 1] ?? '')) return at;
    for (const { text } of readTokens(line.trim())) depth += depthOf(text);
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
  return [...text.matchAll(token)].map(([raw, one = '']) => ({
    raw: raw.replace(/^\s+/, ' '),
    text: /^["'`][\s\S]/.test(one) ? `"${one.slice(1, -1).replace(/\\(?=["'`])/g, '')}"` : one,
  }));
}
