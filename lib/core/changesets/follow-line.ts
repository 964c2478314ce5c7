import type { Hunk } from '../../domain/state/patch.ts';

/** Where a line of a file's old side is on its new one. */
export type FollowedLine =
  /** It is there, unchanged; `beside` is the hunk that shows it as a neighbour of what was changed. */
  | { readonly kind: 'stands'; readonly line: number; readonly beside: Hunk | null }
  | { readonly kind: 'changed'; readonly hunk: Hunk };

/** Follows a line, counted from 1, through the hunks of its file, in their order. */
export function followLine(hunks: readonly Hunk[], line: number): FollowedLine {
  let shift = 0;
  for (const hunk of hunks) {
    if (line < hunk.oldStart) break;
    let old = hunk.oldStart;
    let now = hunk.newStart;
    for (const { kind } of hunk.lines) {
      if (kind !== 'insert' && old === line)
        return kind === 'delete' ? { kind: 'changed', hunk } : { kind: 'stands', line: now, beside: hunk };
      if (kind !== 'insert') old += 1;
      if (kind !== 'delete') now += 1;
    }
    shift = now - old;
  }
  return { kind: 'stands', line: line + shift, beside: null };
}
