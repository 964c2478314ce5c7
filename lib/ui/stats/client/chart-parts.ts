import type { ChartConfiguration } from 'chart.js';
import type { Stats, TaskFigures } from '../../../domain/shown/stats.ts';
import { formatDuration } from '../../../util/format-figures.ts';

/** A bar for each label. */
export type Bars = ChartConfiguration<'bar', (number | null)[]>;

/** A line over labels, or over points. */
export type Lines = ChartConfiguration<'line', (number | { x: number; y: number } | null)[]>;

/** Seconds, as an axis shows them. */
export function showTime(value: number | string): string {
  return Number(value) === 0 ? '0' : formatDuration(Number(value) * 1_000);
}

/** Seconds between two marks of a time axis, so that they are times people use. */
export function niceStep(total: number): number {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
  const least = total / 8;
  return steps.find((step) => step >= least) ?? Math.ceil(least / 86_400) * 86_400;
}

/** Several sessions may have tasks of one name. */
export function nameIn({ sessions }: Stats): (task: TaskFigures) => string {
  return ({ session, task }) => (sessions.length > 1 ? `${session.slice(-4)} ${task}` : task);
}
