import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { mergeSession } from '../merge/merge-session.ts';
import { mergeTask } from '../merge/merge-task.ts';
import { headOf } from '../merge/merge-task-head.ts';
import { isSame } from '../merge/merge-values.ts';
import { judgeSessionStep } from './judge-session-step.ts';
import type { Fault, StepAuthor } from './judge-task-step.ts';

/** A note where two lines of its history meet. */
export interface MergeStep<Note> {
  /** What both lines have; null: that can't be said. */
  readonly base: Note | null;
  readonly sides: readonly Note[];
  readonly merged: Note;
}

// Merges are nobody's: what they may do follows from what they merge.
const nobody: StepAuthor = { isBy: () => false, isByLead: false, isAlive: () => true };

/**
 * What a merge made of a task that comes of neither side. Claims are made at the remote alone, on one line: where both
 * have a new one, somebody made one aside, to have it win.
 */
export function judgeTaskMerge({ base, sides, merged }: MergeStep<Task>): Fault | null {
  const fault = (what: string): Fault => ({ kind: 'claim', machine: merged.claimed_host, what });
  const [ours, theirs] = sides;
  const isSides = sides.some((side) => isSame(headOf(side), headOf(merged)));
  if (!isSides) return fault('a merge made it what neither side had');
  if (base === null || ours === undefined || theirs === undefined) return null;
  const claimed = sides.filter(({ claim = 0 }) => claim !== (base.claim ?? 0));
  if (claimed.length > 1 && !isSame(ours.claim, theirs.claim))
    return fault('a merge brought a claim that was not made at the remote');
  const right = mergeTask(base, ours, theirs).value;
  if (isSame(headOf(right), headOf(merged))) return null;
  // What has ended stays so where that is known to be true.
  if (merged.status === 'merged' || merged.status === 'dropped' || hasEnded(right)) return null;
  return fault('a merge took the side that does not count');
}

function hasEnded({ status }: Task): boolean {
  return status === 'merged' || status === 'dropped';
}

/**
 * What a merge took from a session that both sides, or the one that had it, left there; and whether it made somebody lead
 * who led on neither.
 */
export function judgeSessionMerge({ base, sides, merged }: MergeStep<Session>): readonly Fault[] {
  const [ours, theirs] = sides;
  const isSides = sides.some(({ machines }) => isSame(machines, merged.machines));
  if (ours === undefined) return isSides || merged.machines === undefined ? [] : [madeLead(merged)];
  const right = theirs === undefined ? ours : mergeSession(base, ours, theirs).value;
  // Which side leads is chosen with the rest of where it stands.
  const shared = isSides && merged.machines !== undefined ? { machines: merged.machines } : {};
  const isNew = right.machines === undefined && merged.machines !== undefined && !isSides;
  const led = isNew && merged.machines !== undefined ? { machines: merged.machines } : shared;
  const found = judgeSessionStep({ ...right, ...led }, merged, nobody);
  return isNew ? [madeLead(merged), ...found] : found;
}

function madeLead({ machines }: Session): Fault {
  return {
    kind: 'lead',
    machine: machines?.lead ?? null,
    what: `a merge made ${machines?.lead} lead, which led on no side of it`,
  };
}
