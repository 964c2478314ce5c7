import { compareText } from '../../util/sort-and-group.ts';

/** A value that one clone had and the merged state hasn't. */
export interface LostValue {
  /** The key, or what the keys are about. */
  readonly what: string;
  readonly kept: string;
  readonly lost: string;
}

/** Merged version of a note that two clones changed, and what lost. */
export interface MergedNote<Value> {
  readonly value: Value;
  readonly lost: readonly LostValue[];
}

/** The two changed versions of something and the one both come from; undefined where there was none. */
export interface MergeSides<Value> {
  readonly base: Value | undefined;
  readonly ours: Value;
  readonly theirs: Value;
}

/** The sides of one part of a note. */
export function makeSidesReader<Note>(
  base: Note | null,
  ours: Note,
  theirs: Note,
): <Value>(get: (note: Note) => Value) => MergeSides<Value> {
  return (get) => ({
    base: base === null ? undefined : get(base),
    ours: get(ours),
    theirs: get(theirs),
  });
}

/** Negative: the first is preferred. Must be 0 for the same values only, so that no clone's position decides. */
export type PreferenceOrder<Value> = (a: Value, b: Value) => number;

export interface MergeChoice<Value> {
  readonly value: Value;
  /** null where both sides agree or only one changed anything; wrapped, since a value can be null. */
  readonly loser: { readonly value: Value } | null;
}

/** The changed one of two values; where both changed differently, the preferred one. */
export function mergeValue<Value>(sides: MergeSides<Value>, prefer: PreferenceOrder<Value>): MergeChoice<Value> {
  const { base, ours, theirs } = sides;
  if (isDeepEqual(ours, theirs) || (base !== undefined && isDeepEqual(base, theirs)))
    return { value: ours, loser: null };
  if (base !== undefined && isDeepEqual(base, ours)) return { value: theirs, loser: null };
  return prefer(ours, theirs) < 0
    ? { value: ours, loser: { value: theirs } }
    : { value: theirs, loser: { value: ours } };
}

/**
 * Two lists as sets of entries with an id: what either side added is there, what either removed is not; an entry
 * both changed is the preferred one. Sorted by `order` unless only one side changed the list.
 */
export function mergeById<Entry>(
  { base = [], ours, theirs }: MergeSides<readonly Entry[]>,
  rules: {
    readonly id: (entry: Entry) => string;
    readonly prefer: PreferenceOrder<Entry>;
    readonly order: PreferenceOrder<Entry>;
  },
): Entry[] {
  if (isDeepEqual(base, theirs) || isDeepEqual(ours, theirs)) return [...ours];
  if (isDeepEqual(base, ours)) return [...theirs];
  const index = (list: readonly Entry[]) => new Map(list.map((entry) => [rules.id(entry), entry]));
  const [old, left, right] = [index(base), index(ours), index(theirs)];
  const merged: Entry[] = [];
  for (const id of new Set([...left.keys(), ...right.keys()])) {
    const [mine, other] = [left.get(id), right.get(id)];
    if (mine !== undefined && other !== undefined) {
      merged.push(mergeValue({ base: old.get(id), ours: mine, theirs: other }, rules.prefer).value);
      continue;
    }
    const only = mine ?? other;
    if (only !== undefined && !old.has(id)) merged.push(only);
  }
  return merged.sort(rules.order);
}

/** Two lists of texts as sets. */
export function mergeTextSets<Text extends string>(sides: MergeSides<readonly Text[]>): Text[] {
  return mergeById(sides, { id: (text) => text, prefer: compareText, order: compareText });
}

/** The first answer that isn't 0 decides; at last the smaller JSON text, so the order is total. */
export function combinePreferences<Value>(...rules: readonly PreferenceOrder<Value>[]): PreferenceOrder<Value> {
  return (a, b) => {
    for (const rule of rules) {
      const answer = rule(a, b);
      if (answer !== 0) return answer;
    }
    return compareText(toSortedKeyJson(a), toSortedKeyJson(b));
  };
}

/** Earlier first; never (null) last. */
export function compareTimes(a: string | null, b: string | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  return compareText(a, b);
}

/** The later of two times in ISO 8601. */
export function pickLaterIsoTime(a: string, b: string): string {
  return a < b ? b : a;
}

export function isDeepEqual(a: unknown, b: unknown): boolean {
  return a === b || toSortedKeyJson(a) === toSortedKeyJson(b);
}

/** JSON with sorted keys: equal exactly for equal values. */
export function toSortedKeyJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => compareText(a, b)))
      : part,
  );
}
