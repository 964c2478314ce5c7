/** One measured quantity, milliseconds of one run. */
export interface Figure {
  readonly wall_ms: number;
  /** User and system time of all processes; null where one process did all the runs. */
  readonly cpu_ms: number | null;
}

/** One line of the table: ours against something else, measured in the same run. */
export interface BenchRow {
  readonly what: string;
  readonly against: string;
  readonly figures: { readonly ours: Figure; readonly other: Figure } | null;
  /** null: told for comparison alone. */
  readonly target: Target | null;
  /** What the figures count; default: milliseconds. */
  readonly unit?: string;
  /** Why there are no figures. */
  readonly missing?: string;
}

export type Target =
  | { readonly kind: 'ratio'; readonly most: number }
  /** Ours in itself. */
  | { readonly kind: 'ms'; readonly most: number };

/** Middle values of several runs. */
export function medianFigure(runs: readonly Figure[]): Figure {
  const cpu = runs.flatMap(({ cpu_ms }) => (cpu_ms === null ? [] : [cpu_ms]));
  return {
    wall_ms: median(runs.map(({ wall_ms }) => wall_ms)),
    cpu_ms: cpu.length === 0 ? null : median(cpu),
  };
}

/** The middle of the sorted values, the mean of two where their number is even; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
