import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { agentRoles } from '../../../domain/role.ts';
import type { Stats } from '../../../domain/view-models/stats-report.ts';
import { formatUsd } from '../../../util/format-figures.ts';
import { listTasksWithLargestFigure } from '../chart-tables.ts';
import { type BarChartSettings, barChart, type Palette, readPalette, taskNamerForSessions } from './chart-helpers.ts';
import { buildCycleTimeChart, buildFailureChart, buildSessionChart, buildTaskFlowChart } from './chart-settings.ts';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

const makers = {
  flow: buildTaskFlowChart,
  cycle: buildCycleTimeChart,
  'task-cost': taskCostChart,
  'role-cost': roleCostChart,
  failures: buildFailureChart,
  sessions: buildSessionChart,
} as const;
const drawn = new Map<string, Chart>();

/** Draws every chart the page has a place for, in the colours it has now. */
export function drawCharts(stats: Stats): void {
  const palette = readPalette();
  Chart.defaults.animation = false;
  Chart.defaults.maintainAspectRatio = false;
  Chart.defaults.color = palette.soft;
  Chart.defaults.borderColor = palette.rule;
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  Chart.defaults.plugins.legend.labels.boxWidth = 12;
  Chart.defaults.plugins.legend.labels.boxHeight = 12;
  for (const [name, make] of Object.entries(makers)) {
    const canvas = document.getElementById(`chart-${name}`);
    if (!(canvas instanceof HTMLCanvasElement)) continue;
    drawn.get(name)?.destroy();
    drawn.set(name, new Chart(canvas, make(stats, palette) as never));
  }
  const { dataset } = document.documentElement;
  dataset.drawn = String(Number(dataset.drawn ?? 0) + 1);
}

/** Chart of each task's cost, by role, the dearest first. */
function taskCostChart(stats: Stats, palette: Palette): BarChartSettings {
  const tasks = listTasksWithLargestFigure(stats, (task) => (task.cost_usd > 0 ? task.cost_usd : null));
  const used = agentRoles.filter((role) => tasks.some((task) => (task.cost_by_role[role] ?? 0) > 0));
  const bars = used.map((role) => ({
    label: role,
    color: palette[role],
    data: tasks.map((task) => task.cost_by_role[role] ?? 0),
  }));
  return barChart(tasks.map(taskNamerForSessions(stats)), bars, { most: 34, options: dollars({ stacked: true }) });
}

/** Chart of each role's expected and real cost. */
function roleCostChart({ cost }: Stats, palette: Palette): BarChartSettings {
  const labels = cost.roles.map(({ role }) => role);
  const estimated = cost.roles.map(({ estimate }) => (estimate === null ? null : estimate.runs * estimate.agent_usd));
  const bars = [
    { label: 'estimated before', color: palette.waiting, data: estimated },
    { label: 'actual', color: palette.accent, data: cost.roles.map(({ cost_usd }) => cost_usd) },
  ];
  return barChart(labels, bars, { most: 46, options: dollars({ stacked: false }) });
}

function dollars({ stacked }: { readonly stacked: boolean }): NonNullable<BarChartSettings['options']> {
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
