import { formatCount } from '../../util/format-figures.ts';
import type { ChangedNames } from './changed-names.ts';
import type { ChangedText } from './changed-text.ts';
import { isTelling, type TreeSearch, wordsOf } from './test-coverage.ts';

/** Describes public names of a file that are gone or have another signature, those that others still name first. */
export type DescribeNames = (text: ChangedText, changed: ChangedNames) => readonly string[];

export function createNameDescriber(
  texts: readonly ChangedText[],
  namesOf: ReadonlyMap<ChangedText, ChangedNames>,
  search: TreeSearch,
): DescribeNames {
  const users = indexUsers(texts, search);
  const places = new Map(
    texts.flatMap((text) => (namesOf.get(text)?.added ?? []).map((name) => [`${text.language} ${name}`, text.path])),
  );
  const usedBy = (name: string): string => {
    const count = isTelling(name) ? (users.get(name)?.size ?? 0) : 0;
    return count === 0 ? '' : `, but ${formatCount(count, 'unchanged file')} ${count === 1 ? 'names' : 'name'} it`;
  };
  return ({ language }, { gone, changed }) => {
    const left = gone.map((name) => {
      const place = places.get(`${language} ${name}`);
      return { name, words: place === undefined ? `${name} is gone` : `${name} moved to ${place}` };
    });
    const other = changed.map(({ name, before, after }) => ({ name, words: `${name}${before} → ${name}${after}` }));
    return [...left, ...other]
      .map(({ name, words }) => ({ words, used: usedBy(name) }))
      .sort((a, b) => Number(b.used !== '') - Number(a.used !== ''))
      .map(({ words, used }) => words + used);
  };
}

/** Files that did not change, by the words on the lines that were found in them. */
function indexUsers(texts: readonly ChangedText[], { lines }: TreeSearch): ReadonlyMap<string, ReadonlySet<string>> {
  const changed = new Set(texts.flatMap(({ path, file }) => [path, file.movedFrom?.path ?? path]));
  const users = new Map<string, Set<string>>();
  for (const { path, text } of lines ?? []) {
    if (changed.has(path)) continue;
    for (const word of wordsOf(text)) users.set(word, (users.get(word) ?? new Set()).add(path));
  }
  return users;
}
