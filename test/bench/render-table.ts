import type { BenchRow, Figure, Target } from './figures.ts';

const head = ['measured', 'against', 'ours', 'the other', 'ratio', 'CPU ratio', 'target'];

/** The table as Markdown, under the line that says where it was measured. */
export function renderTable(machine: string, rows: readonly BenchRow[]): string {
  const lines = [head, head.map(() => '---'), ...rows.map(renderRow)].map((cells) => `| ${cells.join(' | ')} |`);
  return `${machine}\n\n${lines.join('\n')}\n`;
}

/** The text with the table between its markers. Throws where they are missing. */
export function withTable(text: string, table: string): string {
  const markers = /<!-- bench -->[\s\S]*<!-- \/bench -->/;
  if (!markers.test(text)) throw new Error('The markers <!-- bench --> and <!-- /bench --> are missing.');
  return text.replace(markers, () => `<!-- bench -->\n${table}<!-- /bench -->`);
}

function renderRow({ what, against, figures, target, unit, missing }: BenchRow): readonly string[] {
  const goal = target === null ? '' : target.kind === 'ratio' ? `≤ ${target.most}` : `≤ ${target.most} ms`;
  if (figures === null) return [what, against, '', '', missing ?? 'not measured', '', goal];
  const { ours, other } = figures;
  return [
    what,
    against,
    renderFigure(ours, unit),
    renderFigure(other, unit),
    (ours.wall_ms / other.wall_ms).toFixed(2),
    cpuRatio(ours, other),
    target !== null && isMissed(target, figures) ? `${goal}, missed` : goal,
  ];
}

function isMissed(target: Target, { ours, other }: { readonly ours: Figure; readonly other: Figure }): boolean {
  const value = target.kind === 'ratio' ? ours.wall_ms / other.wall_ms : ours.wall_ms;
  return value > target.most;
}

function cpuRatio(ours: Figure, other: Figure): string {
  return ours.cpu_ms === null || other.cpu_ms === null || other.cpu_ms === 0
    ? ''
    : (ours.cpu_ms / other.cpu_ms).toFixed(2);
}

function renderFigure({ wall_ms }: Figure, unit: string | undefined): string {
  return unit === undefined ? renderMs(wall_ms) : `${Number(wall_ms.toFixed(1))} ${unit}`;
}

function renderMs(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}
