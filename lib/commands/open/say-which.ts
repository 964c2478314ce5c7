import { type Session, titleOf } from '../../domain/state/session.ts';
import type { Opened } from './open-workshop.ts';

/** Reports which session a command that named none continues. */
export function sayWhich({ workshop }: Opened, session: Session): void {
  const { id, cycle, wave } = session;
  const message = `Continues with ${id}, cycle ${cycle}, wave ${wave}: ${titleOf(session)}`;
  const details = ["to start another instead: git flame run --new 'What you want done'"];
  workshop.events.emit({ event: 'notice', level: 'info', message, details });
}
