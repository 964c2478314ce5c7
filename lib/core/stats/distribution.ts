import type { Distribution } from '../../domain/view-models/stats-report.ts';

/** Computes the spread of values; null where there are none. */
export function computeDistribution(values: readonly number[]): Distribution | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const total = sum(values);
  return {
    count: sorted.length,
    min: sorted[0] ?? 0,
    median: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    max: sorted.at(-1) ?? 0,
    mean: total / sorted.length,
    sum: total,
  };
}

/** The median; NaN where there are no values. */
export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Linear between the two nearest ranks, as spreadsheets have it. */
function quantile(sorted: readonly number[], share: number): number {
  const rank = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  if (low === undefined || high === undefined) return Number.NaN;
  return low + (high - low) * (rank - Math.floor(rank));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** null: there is nothing to have a share of. */
export function computeRatio(some: number, all: number): number | null {
  return all === 0 ? null : some / all;
}
