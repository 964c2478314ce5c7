import { groupBy } from '../../util/sort-and-group.ts';
import type { ChangedText } from './changed-text.ts';
import type { LinesOfOthers } from './weaker-checks.ts';

/**
 * Counts the added lines of these files, so that a line one of them lost and another one of its language got is known as
 * moved. What stands in a text no longer runs.
 */
export function createMovedLines(texts: readonly ChangedText[]): (text: ChangedText) => LinesOfOthers {
  const all = new Map(
    [...groupBy(texts, ({ language }) => language)].map(([language, of]) => [
      language,
      countLines(of.flatMap(({ added }) => added)),
    ]),
  );
  return (text) => {
    const ofLanguage = all.get(text.language);
    const own = countLines(text.added);
    const taken = new Map<string, number>();
    return {
      takeMoved: (line) => {
        const key = line.trim();
        const used = taken.get(key) ?? 0;
        if ((ofLanguage?.get(key) ?? 0) - (own.get(key) ?? 0) <= used) return false;
        taken.set(key, used + 1);
        return true;
      },
    };
  };
}

function countLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return counts;
}
