import type { Opened } from './open-workshop.ts';

/** Whether the planner talks with the person; says so where it was wanted and there's nobody to talk with. */
export function canTalk({ workshop, config }: Opened, hasPlan: boolean, isWanted: boolean): boolean {
  if (hasPlan || !isWanted || config.roles.planner.adapter === 'exec') return false;
  if (workshop.gates.isInteractive) return true;
  workshop.events.emit({
    event: 'notice',
    level: 'warning',
    message: 'The planner answers at once: talking with it needs a terminal and no --decisions-file.',
  });
  return false;
}
