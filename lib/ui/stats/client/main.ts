import type { Stats } from '../../../domain/view-models/stats-report.ts';
import { nextTheme, type Theme } from '../../page/client/page-elements.ts';
import { drawCharts } from './draw-charts.ts';

const data = document.getElementById('data');
const button = document.getElementById('theme');

if (data !== null) start(JSON.parse(data.textContent ?? '') as Stats);

/** Draws the charts, and again whenever their colours change. */
function start(stats: Stats): void {
  let theme: Theme = 'auto';
  drawCharts(stats);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => drawCharts(stats));
  button?.addEventListener('click', () => {
    const root = document.documentElement;
    theme = nextTheme(theme);
    root.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    drawCharts(stats);
  });
  button?.removeAttribute('hidden');
}
