import type { Session } from '../../domain/state/session.ts';
import { cycleNumber, titleOf } from '../../domain/state/session-facts.ts';
import type { Opened } from './open-workshop.ts';

/** Reports which session a command that named none continues. */
export function sayWhich({ workshop }: Opened, session: Session): void {
  const { id, wave } = session;
  const message = `Continues with ${id}, cycle ${cycleNumber(session)}, wave ${wave}: ${titleOf(session)}`;
  const details = ["to start another instead: git flame run --new 'What you want done'"];
  workshop.events.emit({ event: 'notice', level: 'info', message, details });
}
