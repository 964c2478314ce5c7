import type { Trial } from '../../domain/ports/git-commits.ts';
import type { AheadConflict, AheadTask } from '../../domain/shown/status.ts';
import { byText } from '../../util/sort-and-group.ts';
import type { Branch, TrialPair, Work } from './plan-trials.ts';

/**
 * The conflicts among pairs that were tried, by task. Work that was built on other work holds that too: where the one
 * below conflicts in a file already, it is said of that one alone.
 */
export function listConflicts(
  pairs: readonly TrialPair[],
  trialOf: (pair: TrialPair) => Trial | undefined,
): readonly AheadConflict[] {
  const met = pairs.flatMap((pair) => {
    const trial = trialOf(pair);
    return trial === undefined || trial.kind === 'clean' ? [] : [{ pair, trial }];
  });
  return met
    .flatMap(({ pair, trial }): AheadConflict[] => {
      if (trial.kind === 'unrelated') return [toConflict(pair, { paths: [], unrelated: true })];
      const below = met.filter((other) => other.pair !== pair && isBelow(other.pair, pair));
      const known = new Set(
        below.flatMap((other) => (other.trial.kind === 'conflict' ? other.trial.paths : [])),
      );
      const own = trial.paths.filter((path) => !known.has(path));
      return own.length === 0 && trial.paths.length > 0
        ? []
        : [toConflict(pair, { paths: own, unrelated: false })];
    })
    .sort((a, b) => byText(nameOf(a), nameOf(b)));
}

/** Whether the works of a pair are those of another one, or what these were built on. */
function isBelow(pair: TrialPair, above: TrialPair): boolean {
  const [a, b] = [pair.one, pair.other];
  const [c, d] = [above.one, above.other];
  return (isUnder(a, c) && isUnder(b, d)) || (isUnder(a, d) && isUnder(b, c));
}

function isUnder(below: Work | Branch, above: Work | Branch): boolean {
  return below.commit === above.commit || ('task' in above && above.ground.has(below.commit));
}

function toConflict(
  { one, other }: TrialPair,
  what: Pick<AheadConflict, 'paths' | 'unrelated'>,
): AheadConflict {
  if (!('task' in other)) return { one: toSide(one), other, ...what };
  const [first, second] = byText(one.task, other.task) <= 0 ? [one, other] : [other, one];
  return { one: toSide(first), other: toSide(second), ...what };
}

function toSide({ task, commit, isAtWork }: Work): AheadTask {
  return { task, commit, at_work: isAtWork };
}

/** A conflict by the two that are in it. */
export function nameOf({ one, other }: AheadConflict): string {
  return `${one.task} ${'task' in other ? other.task : ''}`;
}
