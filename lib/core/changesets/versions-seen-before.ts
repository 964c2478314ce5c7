import type { Changeset } from '../../domain/state/changeset.ts';
import type { LineRange } from '../../domain/state/line-range.ts';
import type { Hunk } from '../../domain/state/patch.ts';

/**
 * The versions of a changeset that a person saw before it: for each of its tasks the latest changeset it was in that
 * was decided but not landed. Each once, oldest first.
 */
export function listVersionsSeenBefore(
  changesets: readonly Changeset[],
  { id, tasks }: Pick<Changeset, 'id' | 'tasks'>,
): readonly Changeset[] {
  const at = changesets.findIndex((changeset) => changeset.id === id);
  const earlier = changesets.slice(0, at === -1 ? changesets.length : at).filter(wasSeen);
  const latest = tasks.map((task) => earlier.findLast((changeset) => changeset.tasks.includes(task)));
  return earlier.filter((changeset) => latest.includes(changeset));
}

/** One that conflicted was seen where it had been approved before; one that was built again has that one's place. */
function wasSeen({ state, decided_by: by }: Changeset): boolean {
  return state === 'rejected' || state === 'skipped' || (state === 'conflict' && by !== null);
}

/** Where lines of a file's old side are on its new one. */
type FollowedLine =
  /** It is there, unchanged; `beside` is the hunk that shows it as a neighbour of what was changed. */
  | { readonly kind: 'stands'; readonly line: number; readonly beside: Hunk | null }
  /** One of them is another one now, or gone. */
  | { readonly kind: 'changed'; readonly hunk: Hunk }
  /** All of them were taken out, and nothing came in their place. */
  | { readonly kind: 'gone'; readonly hunk: Hunk };

/** Follows lines, counted from 1, through the hunks of their file, in their order. */
export function followLinesThroughHunks(hunks: readonly Hunk[], { line, to = line }: LineRange): FollowedLine {
  const all = Array.from({ length: to - line + 1 }, (_, index) => followLine(hunks, line + index));
  const standing = all.flatMap((one) => (one.kind === 'stands' ? [one] : []));
  const [first] = standing;
  if (first === undefined) return all.find(({ kind }) => kind === 'changed') ?? all[0] ?? nowhere(line);
  const changed = all.find((one) => one.kind !== 'stands');
  if (changed !== undefined) return { kind: 'changed', hunk: changed.hunk };
  return { ...first, beside: standing.find(({ beside }) => beside !== null)?.beside ?? null };
}

function nowhere(line: number): FollowedLine {
  return { kind: 'stands', line, beside: null };
}

/** Follows a line, counted from 1, through the hunks of its file, in their order. */
function followLine(hunks: readonly Hunk[], line: number): FollowedLine {
  let shift = 0;
  for (const hunk of hunks) {
    if (line < hunk.oldStart) break;
    let old = hunk.oldStart;
    let now = hunk.newStart;
    for (const [index, { kind }] of hunk.lines.entries()) {
      if (kind === 'delete' && old === line) return { kind: isReplaced(hunk, index) ? 'changed' : 'gone', hunk };
      if (kind === 'context' && old === line) return { kind: 'stands', line: now, beside: hunk };
      if (kind !== 'insert') old += 1;
      if (kind !== 'delete') now += 1;
    }
    shift = now - old;
  }
  return { kind: 'stands', line: line + shift, beside: null };
}

/** Whether lines came in the place of those that were taken out there. */
function isReplaced({ lines }: Hunk, at: number): boolean {
  const end = lines.findIndex(({ kind }, index) => index > at && kind === 'context');
  const start = lines.findLastIndex(({ kind }, index) => index < at && kind === 'context');
  return lines.slice(start + 1, end === -1 ? lines.length : end).some(({ kind }) => kind === 'insert');
}
