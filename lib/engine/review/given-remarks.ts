import { boundText } from '../../core/task/one-line.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import { remarkHeads } from '../../domain/state/pull-request.ts';
import { formatCount } from '../../util/format-figures.ts';

/** Most characters a task is given in one round, beside its comments on lines. */
export const mostNotes = 12_000;

/** One thing that was said, for one task. */
export type Given =
  | { readonly id: string; readonly kind: 'line'; readonly comment: LineComment }
  | { readonly id: string; readonly kind: 'check' | 'whole'; readonly text: string };

/** Counts them, in a few words. */
export function counted(given: readonly Given[]): string {
  const checks = given.filter(({ kind }) => kind === 'check').length;
  const parts = [
    ...(given.length === checks ? [] : [formatCount(given.length - checks, 'remark')]),
    ...(checks === 0 ? [] : [formatCount(checks, 'failed check')]),
  ];
  return parts.join(' and ');
}

/** As a task is given it. */
export function worded(given: readonly Given[]): {
  readonly notes: string;
  readonly comments: readonly LineComment[];
} {
  const notes = given.flatMap((one) => (one.kind === 'line' ? [] : [one.text]));
  const head = remarkHeads[notes.length === 0 ? 0 : 1];
  return {
    notes: boundText([head, ...notes].join('\n\n'), mostNotes + 1_000),
    comments: given.flatMap((one) => (one.kind === 'line' ? [one.comment] : [])),
  };
}
