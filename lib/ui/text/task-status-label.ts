import type { BoardStreamLine, BoardTask } from '../../domain/view-models/board-view.ts';

export interface TaskStatusLabel {
  readonly symbol: string;
  readonly word: string;
  /** As styles know it. */
  readonly kind: 'planned' | 'waits' | 'works' | 'checks' | 'good' | 'landed' | 'bad' | 'over';
}

/** The sign before a line of an agent's stream; '' for its words. */
export const streamSigns: Readonly<Record<BoardStreamLine['kind'], string>> = {
  ...{ said: '', call: '›', blocked: '⊘', gap: '…' },
};

const labels: Readonly<Record<Exclude<BoardTask['status'], 'done'>, TaskStatusLabel>> = {
  proposed: { symbol: '○', word: 'proposed', kind: 'planned' },
  pending: { symbol: '○', word: 'waiting', kind: 'waits' },
  requeued: { symbol: '◌', word: 'sent back', kind: 'waits' },
  claimed: { symbol: '◐', word: 'working', kind: 'works' },
  merged: { symbol: '●', word: 'landed', kind: 'landed' },
  failed: { symbol: '✗', word: 'failed', kind: 'bad' },
  blocked: { symbol: '⊘', word: 'blocked', kind: 'bad' },
  dropped: { symbol: '·', word: 'dropped', kind: 'over' },
};

/** A task's state as a word and a sign: many people can't see colour alone. */
export function labelTaskStatus({ status, verdict }: Pick<BoardTask, 'status' | 'verdict'>): TaskStatusLabel {
  if (status !== 'done') return labels[status];
  if (verdict === 'fail') return { symbol: '!', word: 'failed validation', kind: 'bad' };
  return verdict === 'pass'
    ? { symbol: '◉', word: 'passed', kind: 'good' }
    : { symbol: '◍', word: 'done, not checked yet', kind: 'checks' };
}
