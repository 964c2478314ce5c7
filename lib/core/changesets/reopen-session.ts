import { FlameError } from '../../domain/flame-error.ts';
import type { TaskId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { isOpen } from '../schedule/next-action.ts';

/**
 * Continues a session that the limit of cycles ended, if the limit was raised since; its change. undefined:
 * it is open, or nothing is left of it. Throws FlameError `cycle-limit`.
 */
export function continueSession(
  session: Session,
  tasks: readonly Task[],
  maxCycles: number,
): Session | undefined {
  if (session.state !== 'ended' || !tasks.some(isOpen)) return undefined;
  requireCycleLeft(session, maxCycles);
  return { ...session, state: 'active', wave: 'review' };
}

/** Throws FlameError `cycle-limit` where another cycle would be one too many. */
export function requireCycleLeft({ id, cycle }: Session, maxCycles: number): void {
  if (cycle < maxCycles) return;
  throw new FlameError({
    kind: 'refused',
    code: 'cycle-limit',
    message: `${id} has had all the wave cycles it may have (limits.max_wave_cycles: ${maxCycles}), and work is left. Raise that in .blueflame.yml, then resume it.`,
    hints: [`git flame resume ${id}`],
  });
}

/**
 * Reopens a session that ended with tasks left once a person takes one of them up; its change, and the words
 * for the commit that records it. undefined: it is open.
 */
export function reopenSession(
  session: Session,
  task: TaskId,
): { readonly next: Session; readonly subject: string } | undefined {
  if (session.state !== 'ended') return undefined;
  return { next: { ...session, state: 'active', wave: 'work' }, subject: `session: open again, for ${task}` };
}
