/** Adds a value to the list of its key. */
export function addToListOfKey<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Values by their keys, both in the order they come. */
export function groupBy<Key, Value>(values: Iterable<Value>, keyOf: (value: Value) => Key): Map<Key, Value[]> {
  const lists = new Map<Key, Value[]>();
  for (const value of values) addToListOfKey(lists, keyOf(value), value);
  return lists;
}

/** The order of texts by their code units, the same on every machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** How many values two lists begin with alike, and how many of the others they end with alike; of texts, characters. */
export function countCommonEnds<Value>(
  a: ArrayLike<Value>,
  b: ArrayLike<Value>,
): { readonly start: number; readonly end: number } {
  const most = Math.min(a.length, b.length);
  let [start, end] = [0, 0];
  while (start < most && a[start] === b[start]) start += 1;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { start, end };
}

/** The words of a text, with blanks and line ends between them: for long lists of plain names. */
export function listWords(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
