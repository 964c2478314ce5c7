import { countCommonEnds } from '../../util/sort-and-group.ts';
import type { ChangedText } from './changed-text.ts';
import { isTelling, type TreeSearch, wordsOf } from './test-coverage.ts';

/** Describes public names of a file that are gone or have another signature, those that others still name first. */
export type DescribeNames = (text: ChangedText) => readonly string[];

export function createNameDescriber(texts: readonly ChangedText[], search: TreeSearch): DescribeNames {
  const users = indexUsers(texts, search);
  const places = new Map(
    texts.flatMap(({ language, names, path }) => names.added.map((name) => [`${language} ${name}`, path] as const)),
  );
  const usedBy = (name: string): string => {
    const [first, ...rest] = isOneOfAKind(name) ? (users.get(name) ?? []) : [];
    if (first === undefined) return '';
    return rest.length === 0 ? `, but ${first} names it` : `, but ${rest.length + 1} unchanged files name it`;
  };
  return ({ language, names: { gone, changed } }) => {
    const placed = gone.map((name) => ({ name, place: places.get(`${language} ${name}`) }));
    const moved = placed.flatMap(({ name, place }) =>
      place === undefined ? [] : [[name, ` moved to ${place}`] as const],
    );
    const lost = placed.flatMap(({ name, place }) => (place === undefined ? [name] : []));
    const unused = lost.filter((name) => usedBy(name) === '');
    const other = changed.map(({ name, before, after }) => [name, describeSignatures(before, after)] as const);
    return [
      ...lost.filter((name) => !unused.includes(name)).map((name) => `${name} is gone${usedBy(name)}`),
      ...(unused.length === 0 ? [] : [`${joinWords(unused)} ${unused.length === 1 ? 'is' : 'are'} gone`]),
      ...[...moved, ...other]
        .map(([name, what]) => ({ words: name + what, used: usedBy(name) }))
        .sort((a, b) => Number(b.used !== '') - Number(a.used !== ''))
        .map(({ words, used }) => words + used),
    ];
  };
}

function joinWords(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const widestPart = 60;

/** What differs between two signatures: what is new, what is gone, or both. */
function describeSignatures(before: string, after: string): string {
  let { start, end } = countCommonEnds(before, after);
  // Whole words.
  while (isWithinWord(before, start) || isWithinWord(after, start)) start -= 1;
  while (isWithinWord(before, before.length - end) || isWithinWord(after, after.length - end)) end -= 1;
  const part = (text: string): string => {
    const middle = text.slice(start, text.length - end).replace(/^[,:|\s]+|[,:|\s]+$/g, '');
    return middle.length > widestPart ? `${middle.slice(0, widestPart - 1)}…` : middle;
  };
  const [old, now] = [part(before), part(after)];
  if (old === '') return ` has ${now} now`;
  return now === '' ? ` no longer has ${old}` : `: ${old} → ${now}`;
}

function isWithinWord(text: string, at: number): boolean {
  return /^[\w.][\w.]/.test(text.slice(Math.max(0, at - 1), at + 1)) && at > 0;
}

/** Whether a name that stands elsewhere is surely the same one: no word of everyday language. */
function isOneOfAKind(name: string): boolean {
  return isTelling(name) && !name.startsWith('__') && (name.length >= 10 || /[a-z][A-Z]|_|\d/.test(name));
}

/** Files that did not change, by the words on the lines that were found in them. */
function indexUsers(texts: readonly ChangedText[], { lines }: TreeSearch): ReadonlyMap<string, ReadonlySet<string>> {
  const changed = new Set(texts.flatMap(({ path, file }) => [path, file.movedFrom?.path ?? path]));
  const users = new Map<string, Set<string>>();
  for (const { path, text } of lines) {
    if (changed.has(path)) continue;
    for (const word of wordsOf(text)) users.set(word, (users.get(word) ?? new Set()).add(path));
  }
  return users;
}
