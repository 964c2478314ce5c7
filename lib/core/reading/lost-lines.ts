import { groupBy } from '../../util/sort-and-group.ts';
import type { ChangedText } from './changed-text.ts';

/**
 * Finds the removed lines of each of these files that no other one of its language got: what was only moved is not lost.
 * What stands in a text of another language no longer runs.
 */
export function createLostLines(texts: readonly ChangedText[]): (text: ChangedText) => readonly string[] {
  const ofLanguage = new Map(
    [...groupBy(texts, ({ language }) => language)].map(
      ([language, of]) => [language, countLines(of.flatMap(({ added }) => added))] as const,
    ),
  );
  return ({ language, added, removed }) => {
    const all = ofLanguage.get(language);
    const own = countLines(added);
    const taken = new Map<string, number>();
    return removed.filter((line) => {
      const key = line.trim();
      const used = taken.get(key) ?? 0;
      if ((all?.get(key) ?? 0) - (own.get(key) ?? 0) <= used) return true;
      taken.set(key, used + 1);
      return false;
    });
  };
}

function countLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return counts;
}
