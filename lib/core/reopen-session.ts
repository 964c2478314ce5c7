import type { TaskId } from '../domain/ids.ts';
import type { Session } from '../domain/session.ts';

/**
 * A session that ended with tasks left goes on once a person takes one of them up; its change, and the words its
 * commit says it with. undefined: it is open.
 */
export function reopenSession(
  session: Session,
  task: TaskId,
): { readonly next: Session; readonly subject: string } | undefined {
  if (session.state !== 'ended') return undefined;
  return { next: { ...session, state: 'active', wave: 'work' }, subject: `session: open again, for ${task}` };
}
