import type { SessionFigures, Stats } from '../../../domain/view-models/stats-report.ts';
import { formatDuration } from '../../../util/format-figures.ts';
import { listTasksWithLargestFigure, mostBars } from '../chart-tables.ts';
import {
  type BarChartSettings,
  barChart,
  chooseTimeAxisStep,
  formatAxisSeconds,
  type LineChartSettings,
  type Palette,
  taskNamerForSessions,
} from './chart-helpers.ts';

/** Tasks by where they were, over time: an area for each, one on the other. */
export function buildTaskFlowChart({ flow }: Stats, palette: Palette): LineChartSettings {
  const began = Date.parse(flow[0]?.at ?? '');
  const seconds = flow.map(({ at }) => (Date.parse(at) - began) / 1_000);
  const total = seconds.at(-1) ?? 0;
  const layers = ['landed', 'checking', 'working', 'waiting', 'lost'] as const;
  return {
    type: 'line',
    data: {
      datasets: layers.map((layer): LineChartSettings['data']['datasets'][number] => ({
        label: layer === 'checking' ? 'done, not landed' : layer,
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
            callback: formatAxisSeconds,
            stepSize: chooseTimeAxisStep(total),
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
export function buildCycleTimeChart(stats: Stats, palette: Palette): BarChartSettings {
  const tasks = listTasksWithLargestFigure(stats, (task) => task.cycle_time_s);
  const data = tasks.map((task) => task.cycle_time_s ?? 0);
  return barChart(
    tasks.map(taskNamerForSessions(stats)),
    [{ label: 'claim to landing', color: palette.working, data }],
    {
      most: 34,
      options: {
        scales: {
          x: { grid: { display: false } },
          y: {
            beginAtZero: true,
            ticks: { callback: formatAxisSeconds, stepSize: chooseTimeAxisStep(tasks[0]?.cycle_time_s ?? 0) },
          },
        },
        plugins: {
          legend: { display: false },
          tooltip: { callbacks: { label: (item) => formatDuration((item.parsed.y ?? 0) * 1_000) } },
        },
      },
    },
  );
}

/** Chart of refusals and failures, by rule. */
export function buildFailureChart({ failures }: Stats, palette: Palette): BarChartSettings {
  const shown = failures.slice(0, mostBars);
  const labels = shown.map(({ source, rule }) => `${source}: ${rule}`);
  return barChart(labels, [{ label: 'times', color: palette.lost, data: shown.map(({ count }) => count) }], {
    most: 26,
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
  });
}

/** Each session's health, completion and use of the slots, in the order they began. */
export function buildSessionChart({ sessions }: Stats, palette: Palette): LineChartSettings {
  const line = (
    label: string,
    colour: string,
    pointStyle: 'circle' | 'rect' | 'triangle',
    figure: (session: SessionFigures) => number | null,
  ): LineChartSettings['data']['datasets'][number] => ({
    label,
    data: sessions.map(figure),
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
        line('health', palette.accent, 'circle', (one) => one.health),
        line('completed', palette.landed, 'rect', (one) => one.completion_rate),
        line('slots in use', palette.working, 'triangle', (one) => one.utilisation),
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
