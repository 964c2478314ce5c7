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

/** A task's state as a word and a sign: many people can't see colour alone. */
export function labelTaskStatus({ status, verdict }: Pick<BoardTask, 'status' | 'verdict'>): TaskStatusLabel {
  switch (status) {
    case 'proposed':
      return { symbol: '○', word: 'proposed', kind: 'planned' };
    case 'pending':
      return { symbol: '○', word: 'waiting', kind: 'waits' };
    case 'requeued':
      return { symbol: '◌', word: 'sent back', kind: 'waits' };
    case 'claimed':
      return { symbol: '◐', word: 'working', kind: 'works' };
    case 'done':
      if (verdict === 'fail') return { symbol: '!', word: 'failed validation', kind: 'bad' };
      return verdict === 'pass'
        ? { symbol: '◉', word: 'passed', kind: 'good' }
        : { symbol: '◍', word: 'done, not checked yet', kind: 'checks' };
    case 'merged':
      return { symbol: '●', word: 'landed', kind: 'landed' };
    case 'failed':
      return { symbol: '✗', word: 'failed', kind: 'bad' };
    case 'blocked':
      return { symbol: '⊘', word: 'blocked', kind: 'bad' };
    case 'dropped':
      return { symbol: '·', word: 'dropped', kind: 'over' };
  }
}
