import type { AttemptRecord } from '../../domain/state/attempt-record.ts';
import { formatCount } from '../../util/format-figures.ts';

/** One of several attempts, and why it is that one, as a clause. */
interface Picked {
  /** Its place among them, from 0. */
  readonly at: number;
  readonly why: string;
}

interface Candidate {
  readonly at: number;
  readonly one: AttemptRecord;
}

interface Criterion {
  /** The less, the better. */
  readonly rank: (one: AttemptRecord) => number;
  /** Describes what decided, by how many were left after it. */
  readonly why: (best: AttemptRecord, left: number) => string;
}

/** Criteria that decide between attempts, in this order; where all are alike, the first attempt wins. */
const criteria: readonly Criterion[] = [
  {
    rank: ({ failing = [] }) => failing.length,
    why: ({ failing = [] }, left) => {
      const of = left === 1 ? 'the only one' : `one of ${left}`;
      return failing.length === 0
        ? `${of} that passed the diagnostics`
        : `${of} with no more than ${formatCount(failing.length, 'failing diagnostic')}`;
    },
  },
  {
    rank: ({ verdict }) => (verdict === 'pass' ? 0 : verdict === undefined ? 1 : 2),
    why: ({ verdict }, left) =>
      `${left === 1 ? 'the only one' : `one of ${left}`} that ${verdict === 'pass' ? 'passed its validation' : 'did not fail its validation'}`,
  },
  {
    // To change nothing is small, and no answer.
    rank: ({ work }) => (work === undefined || work.files === 0 ? Number.POSITIVE_INFINITY : work.lines),
    why: ({ work }) => `the smallest, with ${formatCount(work?.lines ?? 0, 'changed line')}`,
  },
];

/**
 * Which of several attempts at a task counts: of those whose work kept to the rules, by how few diagnostics fail, then
 * by its verdict, then by how few lines it changes, then by their order. null: none handed in work.
 */
export function pickBestAttempt(tries: readonly AttemptRecord[]): Picked | null {
  let left: readonly Candidate[] = tries.map((one, at) => ({ one, at })).filter(({ one }) => one.work !== undefined);
  const [first] = left;
  if (first === undefined) return null;
  if (left.length === 1) return { at: first.at, why: 'the only one whose work follows the rules' };
  const clauses: string[] = [];
  for (const { rank, why } of criteria) {
    const least = Math.min(...left.map(({ one }) => rank(one)));
    const best = left.filter(({ one }) => rank(one) === least);
    const [sample] = best;
    if (sample !== undefined && best.length < left.length) clauses.push(why(sample.one, best.length));
    left = best;
  }
  const [winner = first, ...alike] = left;
  if (alike.length > 0) clauses.push('the first of equal attempts');
  return { at: winner.at, why: clauses.join(', ') };
}
