import type { BoardOverlap, BoardTask } from '../../../domain/view-models/board-view.ts';
import { formatSpend } from '../../../util/format-figures.ts';

/** `stacked on task-001 (price.js)`: what it shares files with, in the words of the terminal's plan; '' for nothing. */
export function describeOverlaps({ overlap }: Pick<BoardTask, 'overlap'>): string {
  if (overlap === null) return '';
  return `${overlap.kind === 'build-on' ? 'stacked on' : 'overlaps with'} ${listTasksBelow(overlap)}`;
}

export function listTasksBelow({ below }: BoardOverlap): string {
  return below.map(({ task, lock }) => (lock === null ? task : `${task} (${lock})`)).join(', ');
}

/** The money or tokens spent; '' for none. */
export function describeSpent(spend: { readonly cost_usd: number; readonly tokens: number }): string {
  return spend.cost_usd === 0 && spend.tokens === 0 ? '' : formatSpend(spend);
}
