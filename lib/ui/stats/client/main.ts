import type { Stats } from '../../../domain/view-models/stats-report.ts';
import { drawCharts } from './draw-charts.ts';

const data = document.getElementById('data');
const button = document.getElementById('theme');
const themes = ['auto', 'dark', 'light'] as const;

if (data !== null) start(JSON.parse(data.textContent ?? '') as Stats);

/** Draws the charts, and again whenever their colours change. */
function start(stats: Stats): void {
  drawCharts(stats);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawCharts(stats));
  button?.addEventListener('click', () => {
    const root = document.documentElement;
    const at = themes.findIndex((theme) => theme === (root.dataset.theme ?? 'auto'));
    const theme = themes[(at + 1) % themes.length] ?? 'auto';
    root.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    drawCharts(stats);
  });
  button?.removeAttribute('hidden');
}
