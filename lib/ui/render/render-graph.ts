import type { GraphTask } from '../../domain/shown/task-story.ts';
import { formatCount } from '../../util/format-figures.ts';
import { cutText, padText, textWidth } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';
import { drawRails } from './draw-rails.ts';
import { paintStatus } from './render-status.ts';

const symbols: Readonly<Record<GraphTask['status'], string>> = {
  proposed: '○',
  pending: '○',
  requeued: '◌',
  claimed: '◐',
  done: '◉',
  merged: '●',
  failed: '✗',
  blocked: '⊘',
  dropped: '·',
};
const barWidth = 20;

/**
 * A plan's tasks, each below what it needs and joined to it by lines, with how far each is. Where the lines would
 * take half of the width, the needs are named instead.
 */
export function renderGraph(tasks: readonly GraphTask[], style: Style): string {
  if (tasks.length === 0) return 'There are no tasks yet.';
  const drawn = drawRails(tasks, (task) => symbols[task.status]);
  const isTooWide = Math.max(...drawn.map(textWidth)) > style.width / 2;
  const rails = isTooWide ? tasks.map((task) => symbols[task.status]) : drawn;
  const groups = new Set(tasks.map(({ group }) => group));
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(textWidth));
  const widths = {
    rail: widest(rails),
    id: widest(tasks.map(({ id }) => visibleLine(id))),
    status: widest(tasks.map(({ status }) => status)),
  };
  const rows = tasks.map((task, index) => {
    const cells = [
      padText(rails[index] ?? '', widths.rail),
      padText(visibleLine(task.id), widths.id),
      padText(paint(task.status, style), widths.status),
    ];
    const left = cells.join('  ');
    const needs = isTooWide && task.dependencies.length > 0 ? `after ${task.dependencies.join(', ')}: ` : '';
    const title = `${groups.size > 1 ? `[${task.group}] ` : ''}${needs}${task.title}`;
    const room = style.width - textWidth(left) - 2;
    return room < 4 ? left.trimEnd() : `${left}  ${cutText(visibleLine(title), room)}`;
  });
  return [renderProgress(tasks, style), '', ...rows].join('\n');
}

function paint(status: GraphTask['status'], style: Style): string {
  return status === 'proposed' ? style.dim(status) : paintStatus(status, style);
}

/** How many are through, as a bar and in words. */
function renderProgress(tasks: readonly GraphTask[], style: Style): string {
  const wanted = tasks.filter(({ status }) => status !== 'dropped');
  const done = wanted.filter(({ status }) => status === 'done' || status === 'merged').length;
  const full = wanted.length === 0 ? 0 : Math.floor((done / wanted.length) * barWidth);
  const bar = style.green('█'.repeat(full)) + style.dim('░'.repeat(barWidth - full));
  return `${bar} ${done} of ${formatCount(wanted.length, 'task')} done`;
}
