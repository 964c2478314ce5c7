import type { Role } from '../../../domain/role.ts';
import type { Stats } from '../../../domain/shown/stats.ts';
import { formatUsd } from '../../../util/format-figures.ts';
import { worstTasks } from '../chart-tables.ts';
import { type Bars, nameIn } from './chart-parts.ts';
import type { Palette } from './palette.ts';

const roles: readonly Role[] = ['planner', 'worker', 'validator', 'merger', 'queen'];

/** Chart of each task's cost, by role, the dearest first. */
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

/** Chart of each role's expected and real cost. */
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
