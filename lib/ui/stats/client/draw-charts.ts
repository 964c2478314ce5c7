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
import type { Stats } from '../../../domain/shown/stats.ts';
import { cycleChart, failureChart, flowChart, sessionChart } from './chart-settings.ts';
import { roleCostChart, taskCostChart } from './cost-charts.ts';
import { readPalette } from './palette.ts';

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
  flow: flowChart,
  cycle: cycleChart,
  'task-cost': taskCostChart,
  'role-cost': roleCostChart,
  failures: failureChart,
  sessions: sessionChart,
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
