import type { ChartConfiguration } from 'chart.js';
import { agentRoles } from '../../../domain/role.ts';
import type { Stats, TaskFigures } from '../../../domain/view-models/stats-report.ts';
import { formatDuration } from '../../../util/format-figures.ts';

/** A bar for each label. */
export type BarChartSettings = ChartConfiguration<'bar', (number | null)[]>;

interface Bars {
  readonly label: string;
  readonly color: string;
  readonly data: (number | null)[];
}

/** Bars beside or on each other; `most`: how thick they may be. */
export function barChart(
  labels: string[],
  bars: readonly Bars[],
  { most, options }: { readonly most: number; readonly options: NonNullable<BarChartSettings['options']> },
): BarChartSettings {
  const datasets = bars.map(({ color, ...rest }) => ({ ...rest, backgroundColor: color, maxBarThickness: most }));
  return { type: 'bar', data: { labels, datasets }, options };
}

/** A line over labels, or over points. */
export type LineChartSettings = ChartConfiguration<'line', (number | { x: number; y: number } | null)[]>;

/** Seconds, as an axis shows them. */
export function formatAxisSeconds(value: number | string): string {
  return Number(value) === 0 ? '0' : formatDuration(Number(value) * 1_000);
}

/** Seconds between two marks of a time axis, so that they are times people use. */
export function chooseTimeAxisStep(total: number): number {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
  const least = total / 8;
  return steps.find((step) => step >= least) ?? Math.ceil(least / 86_400) * 86_400;
}

/** Several sessions may have tasks of one name. */
export function taskNamerForSessions({ sessions }: Stats): (task: TaskFigures) => string {
  return ({ session, task }) => (sessions.length > 1 ? `${session.slice(-4)} ${task}` : task);
}

const colourNames = [
  'soft',
  'rule',
  'accent',
  'waiting',
  'working',
  'checking',
  'landed',
  'lost',
  ...agentRoles,
] as const;

/** The page's colours as they are now, dark or light. */
export type Palette = Readonly<Record<(typeof colourNames)[number], string>>;

/** Reads the colours from the style sheet, which knows dark from light; a canvas can't. */
export function readPalette(): Palette {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colours = colourNames.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(colours);
}
