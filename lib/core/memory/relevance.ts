import type { MemoryEntry } from '../../domain/state/memory.ts';

/** From 0, nothing in common, to about 2. */
export type Relevance = (entry: MemoryEntry) => number;

// Words that say nothing about what a task is about.
const common = new Set(
  'add all also and any are but can change each fix for from has have into its make more must new not now of on only or one our out should so that the then there this to update use when where which will with without'.split(
    ' ',
  ),
);

/**
 * Scores how relevant an entry is to an objective: the part of the objective's words it shares, and more where the
 * objective names one of its paths. Equal texts score equally, in any language.
 */
export function relevanceTo(objective: string): Relevance {
  const wanted = wordsOf(objective);
  const text = objective.toLowerCase();
  return ({ title, notes, paths }) => {
    if (wanted.size === 0) return 0;
    const own = wordsOf([title, notes, ...paths].join(' '));
    const shared = [...wanted].filter((word) => own.has(word)).length;
    const isNamed = paths.some((path) => text.includes(plainPath(path)));
    return shared / wanted.size + (isNamed ? 1 : 0);
  };
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !common.has(word)));
}

/** The part of a glob before its first wildcard; something no text holds where nothing is left. */
function plainPath(glob: string): string {
  const plain = (glob.toLowerCase().split(/[*?[{]/)[0] ?? '').replace(/\/+$/, '');
  return plain.length < 3 ? '\0' : plain;
}
