import type { ChartConfiguration } from 'chart.js';
import type { Role } from '../../../domain/role.ts';
import type { Stats, TaskFigures } from '../../../domain/shown/stats.ts';
import { formatUsd } from '../../../util/format-amount.ts';
import { formatDuration } from '../../../util/format-time.ts';
import { mostBars, worstTasks } from '../chart-tables.ts';
import type { Palette } from './palette.ts';

type Bars = ChartConfiguration<'bar', (number | null)[]>;
type Lines = ChartConfiguration<'line', (number | { x: number; y: number } | null)[]>;
const roles: readonly Role[] = ['planner', 'worker', 'validator', 'merger'];

/** Tasks by where they were, over time: an area for each, one on the other. */
export function flowChart({ flow }: Stats, palette: Palette): Lines {
  const began = Date.parse(flow[0]?.at ?? '');
  const seconds = flow.map(({ at }) => (Date.parse(at) - began) / 1_000);
  const total = seconds.at(-1) ?? 0;
  const layers = ['landed', 'checking', 'working', 'waiting', 'lost'] as const;
  return {
    type: 'line',
    data: {
      datasets: layers.map((layer): Lines['data']['datasets'][number] => ({
        label: layer,
        data: flow.map((point, index) => ({ x: seconds[index] ?? 0, y: point[layer] })),
        borderColor: palette[layer],
        backgroundColor: palette[layer],
        borderWidth: 1,
        fill: true,
        stepped: true,
        pointRadius: 0,
        pointHitRadius: 8,
      })),
    },
    options: {
      scales: {
        x: {
          type: 'linear',
          max: total,
          ticks: {
            callback: showTime,
            stepSize: niceStep(total),
            includeBounds: false,
            maxRotation: 0,
            autoSkipPadding: 24,
          },
          title: { display: true, text: 'since the first task was created' },
        },
        y: {
          stacked: true,
          beginAtZero: true,
          ticks: { precision: 0 },
          title: { display: true, text: 'tasks' },
        },
      },
      plugins: {
        tooltip: {
          callbacks: { title: ([item]) => `after ${formatDuration((item?.parsed.x ?? 0) * 1_000)}` },
        },
      },
    },
  };
}

/** How long each landed task took, the longest first. */
export function cycleChart(stats: Stats, palette: Palette): Bars {
  const tasks = worstTasks(stats, (task) => task.cycle_time_s);
  return {
    type: 'bar',
    data: {
      labels: tasks.map(nameIn(stats)),
      datasets: [
        {
          label: 'claim to landing',
          data: tasks.map((task) => task.cycle_time_s ?? 0),
          backgroundColor: palette.working,
          maxBarThickness: 34,
        },
      ],
    },
    options: {
      scales: {
        x: { grid: { display: false } },
        y: {
          beginAtZero: true,
          ticks: { callback: showTime, stepSize: niceStep(tasks[0]?.cycle_time_s ?? 0) },
        },
      },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: { label: (item) => formatDuration((item.parsed.y ?? 0) * 1_000) } },
      },
    },
  };
}

/** What each task cost, by role, the dearest first. */
export function taskCostChart(stats: Stats, palette: Palette): Bars {
  const tasks = worstTasks(stats, (task) => (task.cost_usd > 0 ? task.cost_usd : null));
  const used = roles.filter((role) => tasks.some((task) => (task.cost_by_role[role] ?? 0) > 0));
  return {
    type: 'bar',
    data: {
      labels: tasks.map(nameIn(stats)),
      datasets: used.map((role) => ({
        label: role,
        data: tasks.map((task) => task.cost_by_role[role] ?? 0),
        backgroundColor: palette[role],
        maxBarThickness: 34,
      })),
    },
    options: dollars({ stacked: true }),
  };
}

/** What each role was expected to cost, and what it cost. */
export function roleCostChart({ cost }: Stats, palette: Palette): Bars {
  return {
    type: 'bar',
    data: {
      labels: cost.roles.map(({ role }) => role),
      datasets: [
        {
          label: 'estimated before',
          data: cost.roles.map(({ estimate }) =>
            estimate === null ? null : estimate.runs * estimate.agent_usd,
          ),
          backgroundColor: palette.waiting,
          maxBarThickness: 46,
        },
        {
          label: 'actual',
          data: cost.roles.map(({ cost_usd }) => cost_usd),
          backgroundColor: palette.accent,
          maxBarThickness: 46,
        },
      ],
    },
    options: dollars({ stacked: false }),
  };
}

/** What was refused or went wrong, by rule. */
export function failureChart({ failures }: Stats, palette: Palette): Bars {
  const shown = failures.slice(0, mostBars);
  return {
    type: 'bar',
    data: {
      labels: shown.map(({ source, rule }) => `${source}: ${rule}`),
      datasets: [
        {
          label: 'times',
          data: shown.map(({ count }) => count),
          backgroundColor: palette.lost,
          maxBarThickness: 26,
        },
      ],
    },
    options: {
      indexAxis: 'y',
      scales: {
        x: { beginAtZero: true, ticks: { precision: 0 } },
        y: {
          grid: { display: false },
          ticks: {
            autoSkip: false,
            callback(index) {
              const room = Math.max(12, Math.round(this.chart.width / 16));
              const label = this.getLabelForValue(Number(index));
              return label.length > room ? `${label.slice(0, room - 1)}…` : label;
            },
          },
        },
      },
      plugins: { legend: { display: false } },
    },
  };
}

/** Each session's health, completion and use of the slots, in the order they began. */
export function sessionChart({ sessions }: Stats, palette: Palette): Lines {
  const line = (
    label: string,
    colour: string,
    values: readonly (number | null)[],
    pointStyle: 'circle' | 'rect' | 'triangle',
  ): Lines['data']['datasets'][number] => ({
    label,
    data: [...values],
    borderColor: colour,
    backgroundColor: colour,
    borderWidth: 2,
    pointRadius: 4,
    pointStyle,
    spanGaps: true,
    // A point at 100 % is whole.
    clip: false,
  });
  return {
    type: 'line',
    data: {
      labels: sessions.map(({ session }) => session.slice(4, 19)),
      datasets: [
        line(
          'health',
          palette.accent,
          sessions.map(({ health }) => health),
          'circle',
        ),
        line(
          'completed',
          palette.landed,
          sessions.map((one) => one.completion_rate),
          'rect',
        ),
        line(
          'slots in use',
          palette.working,
          sessions.map((one) => one.utilisation),
          'triangle',
        ),
      ],
    },
    options: {
      scales: {
        x: { grid: { display: false } },
        y: { min: 0, max: 1, ticks: { callback: (value) => `${Math.round(Number(value) * 100)} %` } },
      },
      plugins: { legend: { labels: { usePointStyle: true } } },
    },
  };
}

function dollars({ stacked }: { readonly stacked: boolean }): NonNullable<Bars['options']> {
  return {
    scales: {
      x: { stacked, grid: { display: false } },
      y: { stacked, beginAtZero: true, ticks: { callback: (value) => formatUsd(Number(value)) } },
    },
    plugins: {
      tooltip: {
        callbacks: { label: (item) => `${item.dataset.label ?? ''}: ${formatUsd(item.parsed.y ?? 0)}` },
      },
    },
  };
}

function showTime(value: number | string): string {
  return Number(value) === 0 ? '0' : formatDuration(Number(value) * 1_000);
}

/** Seconds between two marks of a time axis, so that they are times people use. */
function niceStep(total: number): number {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
  const least = total / 8;
  return steps.find((step) => step >= least) ?? Math.ceil(least / 86_400) * 86_400;
}

/** Several sessions may have tasks of one name. */
function nameIn({ sessions }: Stats): (task: TaskFigures) => string {
  return ({ session, task }) => (sessions.length > 1 ? `${session.slice(-4)} ${task}` : task);
}
