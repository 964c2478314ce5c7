import type { Hunk } from '../../domain/state/patch.ts';
import { formatCount } from '../../util/format-figures.ts';
import { countCommonEnds, groupBy } from '../../util/sort-and-group.ts';
import { depthOf, readChangedStatements, type Statement, type StatementRules } from './changed-statements.ts';
import type { ChangedText } from './changed-text.ts';

/**
 * Describes the assertions of a file that stayed but for what they expect, and those that are not awaited any more, a
 * clause each. Only values that are written out count, and only in the same changed place: an assertion on something
 * else is another one.
 */
export function describeChangedExpectations(text: ChangedText, assertion: RegExp): readonly string[] {
  const rules = { language: text.language, assertion };
  const hunks = text.added.length > mostAdded ? [] : text.hunks;
  const found = hunks.flatMap((hunk) => pairStatements(hunk, rules));
  return [...groupBy(found, ([change]) => change)].map(([change, pairs]) => {
    const evidence = pairs.slice(0, 1).map(([, pair]) => (change === 'value' ? show(pair) : join(pair.after.tokens)));
    return `${formatCount(pairs.length, 'assertion')} ${words[change][pairs.length === 1 ? 0 : 1]}: ${evidence.join('')}`;
  });
}

/** A file with more was rewritten. */
const mostAdded = 2_000;

type Change = 'value' | 'opposite' | 'unawaited';

const words: Readonly<Record<Change, readonly [one: string, more: string]>> = {
  value: ['expects another value', 'expect another value'],
  opposite: ['expects the opposite now', 'expect the opposite now'],
  unawaited: ['is no longer awaited', 'are no longer awaited'],
};

/** Two statements whose tokens differ between the first `start` and the last `end`. */
interface Pair {
  readonly before: Statement;
  readonly after: Statement;
  readonly start: number;
  readonly end: number;
  /** The tokens that differ. */
  readonly old: readonly string[];
  readonly now: readonly string[];
}

/** A place with more of them was rewritten. */
const mostOfPlace = 40;

function pairStatements(hunk: Hunk, rules: StatementRules): readonly (readonly [Change, Pair])[] {
  const [before = [], after = []] = readChangedStatements(hunk, rules);
  const places = groupBy(after, ({ kind, place }) => `${kind} ${place}`);
  return before.flatMap((one) => {
    const near = places.get(`${one.kind} ${one.place}`) ?? [];
    for (const [index, other] of near.slice(0, near.length > mostOfPlace ? 0 : mostOfPlace).entries()) {
      const pair = makePair(one, other);
      const change = changeOf(pair, rules);
      if (change === null) continue;
      near.splice(index, 1);
      return [[change, pair] as const];
    }
    return [];
  });
}

function makePair(before: Statement, after: Statement): Pair {
  const [old, now] = [before.tokens.map(({ text }) => text), after.tokens.map(({ text }) => text)];
  const { start, end } = countCommonEnds(old, now);
  return {
    before,
    after,
    start,
    end,
    old: old.slice(start, old.length - end),
    now: now.slice(start, now.length - end),
  };
}

const affirmed = /(?<=\w)(?:True|False|Truthy|Falsy|_eq!|_ne!)$/;
/** Of a promise: nothing else fails the test, or any promise passes. */
const onPromise =
  /\.(?:rejects|resolves|eventually|rejectedWith|doesNotReject|toBeTruthy|toBeDefined|not)\b|\bassert(?:\.ok|True)?\(|^assert\s/;

function changeOf(pair: Pair, rules: StatementRules): Change | null {
  const { before, after, start } = pair;
  const [old, now] = [pair.old.join(' '), pair.now.join(' ')];
  const wasWaiting = now === '' && (old === 'await' || old === 'return');
  const hadToWait = (old === 'await' && start === 0) || onPromise.test(join(after.tokens));
  if (wasWaiting && hadToWait) return 'unawaited';
  if (before.kind === 'assertion' && isOpposite(old, now)) return 'opposite';
  return isOtherValue(pair, rules) ? 'value' : null;
}

/** By a negation that came or went, or by a name: `assertTrue` and `assertFalse`. */
function isOpposite(old: string, now: string): boolean {
  if (/^(?:\.?not|!|=!|!=)$/.test(old + now)) return true;
  const name = old.replace(affirmed, '');
  return old !== now && /^[\w.]+$/.test(name) && name === now.replace(affirmed, '');
}

const literal = /^"|^\d|^(?:true|false|null|undefined|nil|None|True|False|NaN)$/;
const constant = /(?:^|\.)[A-Z]\w*$/;
const valueName = /^"?(?:want|expect|exp$)|\braises$|^if$/;

function isOtherValue({ before: { kind, tokens }, start, end, old, now }: Pair, rules: StatementRules): boolean {
  if (!isWrittenOut(old, rules) || !isWrittenOut(now, rules) || joinValues(old) === joinValues(now)) return false;
  const before = tokens.slice(0, start).map(({ text }) => text);
  const open = listOpen(before);
  const isInList = open.at(-1)?.name === '';
  if (!areAlike(old, now, isInList)) return false;
  switch (kind) {
    case 'row': {
      const isLast = tokens.slice(tokens.length - end).every(({ text }) => /[\])},]/.test(text));
      return old.length === 1 && now.length === 1 && isLast;
    }
    case 'value':
      return before.some((one) => valueName.test(one)) && [...old, ...now].some((one) => literal.test(one));
    case 'assertion':
      return isExpected(before, open, rules);
  }
}

/** Whether one stands for the other: a constant in the place of a literal is a name for it. Only a list may grow or shrink. */
function areAlike(old: readonly string[], now: readonly string[], isInList: boolean): boolean {
  const has = (part: readonly string[], sign: RegExp): boolean => part.some((one) => sign.test(one));
  const values = [old, now].filter((part) => has(part, literal) || has(part, constant));
  if (values.length === 0 || (values.length === 1 && !isInList)) return false;
  return values.every((part) => has(part, literal)) || values.every((part) => has(part, constant));
}

/** Whether tokens are values alone, such as `[1, Some("a")]`: what Go calls is a function, with a capital too. */
function isWrittenOut(tokens: readonly string[], { language }: StatementRules): boolean {
  let depth = 0;
  const areMixed = tokens.includes(',') && tokens.some((one) => constant.test(one));
  return (
    !areMixed &&
    tokens.every((one, at) => {
      depth += depthOf(one);
      const next = tokens[at + 1];
      const isName = next === ':' || (constant.test(one) && !(language === 'go' && next === '('));
      return depth >= 0 && (isName || literal.test(one) || /^[^\w$=<>;]$/.test(one));
    })
  );
}

/** The same for strings in one piece or several, and for constants of any class. */
function joinValues(tokens: readonly string[]): string {
  const parts = tokens.filter((one) => !/^[()+;]$/.test(one));
  const values = parts.map((one) => (one.startsWith('"') ? one.slice(1, -1) : one.replace(/^.*\./, '').toLowerCase()));
  return values.join('').replace(/,(?=[\])}]|$)/g, '');
}

interface OpenBracket {
  /** What is called; '' of a list or a group. */
  readonly name: string;
  commas: number;
}

/** The brackets that tokens leave open, after one that stands for all. */
function listOpen(tokens: readonly string[]): readonly OpenBracket[] {
  const open: OpenBracket[] = [{ name: '^', commas: 0 }];
  for (const [at, one] of tokens.entries()) {
    const [last, called] = [open.at(-1), tokens[at - 1] ?? ''];
    if (depthOf(one) > 0) open.push({ name: one === '(' && /[\w$!]$/.test(called) ? called : '', commas: 0 });
    else if (depthOf(one) < 0) open.pop();
    else if (one === ',' && last !== undefined) last.commas += 1;
  }
  return open;
}

/** Whether what follows these tokens of an assertion is the value it expects: not what it looks at, nor its message. */
function isExpected(
  before: readonly string[],
  open: readonly OpenBracket[],
  { language, assertion }: StatementRules,
): boolean {
  const [call, ...inner] = open.filter(
    ({ name }) => /[\w$!]$/.test(name) && (language === 'go' || !constant.test(name)),
  );
  if (call === undefined) return before[0] === 'assert' && open[0]?.commas === 0;
  if (inner.length > 0 || /^expect\b|WithMessage$|(?:Error|Fatal)f?$|fail$/i.test(call.name)) return false;
  if (before.some((one) => /^(?:expect|assertThat|assertWithMessage)\b/.test(one))) return true;
  return assertion.test(`${call.name}(t`) && call.commas < (before.includes('t') ? 3 : 2);
}

function join(tokens: Statement['tokens']): string {
  return tokens.map(({ raw }) => raw).join('');
}

const longestPart = 30;

/** `expect(total).toBe(10) → 11`; of long values, what stands around the first difference. */
function show({ before, after, start, end, old, now }: Pair): string {
  const from = Math.max(0, old.length === 0 || now.length === 0 ? start - 1 : start);
  const partOf = ({ tokens }: Statement): string => join(tokens.slice(from, tokens.length - end));
  const [was, is] = [partOf(before), partOf(after)];
  const same = countCommonEnds(was, is).start;
  const skip = same > 20 ? same - 10 : 0;
  const cut = (part: string): string => (skip > 0 ? '…' : '') + part.slice(skip, skip + longestPart);
  const isCut = was.length > skip + longestPart;
  const closing = isCut ? '…' : (/^[\])}]*/.exec(join(before.tokens.slice(before.tokens.length - end)))?.[0] ?? '');
  return `${join(before.tokens.slice(0, from)).slice(-longestPart)}${cut(was)}${closing} → ${cut(is).trim()}`;
}
