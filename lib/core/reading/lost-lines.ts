import { groupBy } from '../../util/sort-and-group.ts';
import type { ChangedText } from './changed-text.ts';

/**
 * Finds the removed lines of each of these files that no other one of its language got: what was only moved is not lost.
 * What stands in a text of another language no longer runs.
 */
export function createLostLines(texts: readonly ChangedText[]): (text: ChangedText) => readonly string[] {
  const added = new Map(
    [...groupBy(texts, ({ language }) => language)].map(
      ([language, of]) => [language, countLines(of.flatMap((text) => text.added))] as const,
    ),
  );
  return (text) => {
    const [all, own, taken] = [added.get(text.language), countLines(text.added), new Map<string, number>()];
    return text.removed.filter((line) => {
      const key = line.trim();
      const others = (all?.get(key) ?? 0) - (own.get(key) ?? 0) - (taken.get(key) ?? 0);
      if (others > 0) taken.set(key, (taken.get(key) ?? 0) + 1);
      return others <= 0;
    });
  };
}

function countLines(lines: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...groupBy(lines, (line) => line.trim())].map(([key, of]) => [key, of.length] as const));
}
