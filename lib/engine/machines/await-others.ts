import { planDigest } from '../../domain/shown/status.ts';
import { landsOn } from '../../domain/state/session.ts';
import type { SessionView } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { isElsewhere } from './pass-on.ts';

/**
 * Whether the work goes on without this machine having anything to do: a lead waits for what others hold, who joined
 * waits until the session has ended.
 */
export function awaitsOthers(
  workshop: Pick<Workshop, 'place' | 'sharing' | 'windDown'>,
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
): boolean {
  const { sharing, windDown } = workshop;
  if (sharing === undefined || windDown.isAsked() || session.state !== 'active') return false;
  return sharing.role === 'worker' || tasks.some((task) => isElsewhere(workshop, task));
}

/** Whether this machine works in a session that another one leads. */
export function isJoined({ sharing }: Pick<Workshop, 'sharing'>): boolean {
  return sharing?.role === 'worker';
}

/** Brings the commit that work starts from, where the lead landed something since the last one. */
export async function bringBase(
  { git, sharing }: Pick<Workshop, 'git' | 'sharing'>,
  { session }: Pick<SessionView, 'session'>,
): Promise<void> {
  if (sharing?.role !== 'worker' || (await git.resolveCommit(session.base_commit)) !== null) return;
  await sharing.bring(landsOn(session));
}

/** Says what to type on another machine, each time the plan is another one. */
export function tellHowToJoin(
  { events, run, sharing }: Pick<Workshop, 'events' | 'run' | 'sharing'>,
  { snapshot, session }: Pick<SessionView, 'snapshot' | 'session'>,
): void {
  if (sharing?.role !== 'lead') return;
  const digest = planDigest(snapshot.tasksOf(session.id));
  if (run.told.has(digest)) return;
  run.told.add(digest);
  const command = `git flame work --join ${sharing.remote} --plan ${digest}`;
  events.emit({
    event: 'notice',
    level: 'info',
    message: 'To have another machine work on it too:',
    details: [command],
  });
}
