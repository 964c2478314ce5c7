import type { Session } from '../../domain/state/session.ts';
import type { Opened } from './open-workshop.ts';

/** Reports which session a command that named none continues. */
export function sayWhich({ workshop }: Opened, { id, objective, cycle, wave }: Session): void {
  const first = objective.split('\n')[0] ?? '';
  const message = `Continues with ${id}, cycle ${cycle}, wave ${wave}: ${first}`;
  const details = ["to start another instead: git flame run --new 'What you want done'"];
  workshop.events.emit({ event: 'notice', level: 'info', message, details });
}
