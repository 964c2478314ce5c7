import type { ObjectId } from '../../domain/ids.ts';

/** What is asked of a commit; null where it can't be read here. */
export interface CommitLinks {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  /** When it was committed, in seconds. */
  readonly committed: number;
}

// Beyond that git, which has a commit-graph, is faster.
const mostCommits = 400;
const [ofOne, ofOther, stale] = [1, 2, 4];

/**
 * The best common ancestor of two commits, where there is exactly one and it is near; null otherwise. The order of
 * times only decides how soon it is found, as in git's own paint_down_to_common.
 */
export async function onlyMergeBase(
  read: (commit: ObjectId) => Promise<CommitLinks | null>,
  one: ObjectId,
  other: ObjectId,
): Promise<ObjectId | null> {
  if (one === other) return one;
  const marks = new Map<ObjectId, number>();
  const waiting = new Map<ObjectId, CommitLinks>();
  const found = new Set<ObjectId>();
  const mark = async (commit: ObjectId, added: number): Promise<boolean> => {
    const before = marks.get(commit) ?? 0;
    if ((before & added) === added) return true;
    marks.set(commit, before | added);
    const links = await read(commit);
    if (links !== null) waiting.set(commit, links);
    return links !== null;
  };
  if (!(await mark(one, ofOne)) || !(await mark(other, ofOther))) return null;
  for (let looked = 0; hasFresh(waiting, marks); looked += 1) {
    if (looked === mostCommits) return null;
    const [commit, { parents }] = newest(waiting);
    waiting.delete(commit);
    let passed = marks.get(commit) ?? 0;
    if (passed === (ofOne | ofOther)) {
      found.add(commit);
      passed |= stale;
    }
    for (const parent of parents) if (!(await mark(parent, passed))) return null;
  }
  const best = [...found].filter((commit) => ((marks.get(commit) ?? 0) & stale) === 0);
  return best.length === 1 ? (best[0] ?? null) : null;
}

function hasFresh(
  waiting: ReadonlyMap<ObjectId, CommitLinks>,
  marks: ReadonlyMap<ObjectId, number>,
): boolean {
  return [...waiting.keys()].some((commit) => ((marks.get(commit) ?? 0) & stale) === 0);
}

function newest(waiting: ReadonlyMap<ObjectId, CommitLinks>): readonly [ObjectId, CommitLinks] {
  return [...waiting].reduce((last, next) => (next[1].committed > last[1].committed ? next : last));
}
