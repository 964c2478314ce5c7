import { planDigest } from '../../domain/shown/status.ts';
import { landsOn } from '../../domain/state/session-facts.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import type { SessionView } from '../record.ts';
import { tellOnce } from '../tell-once.ts';
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

/** Brings the commit that work starts from, where the lead landed something since the last one; false: it is nowhere. */
export async function bringBase(
  { events, git, run, sharing }: Pick<Workshop, 'events' | 'git' | 'run' | 'sharing'>,
  { session }: Pick<SessionView, 'session'>,
): Promise<boolean> {
  const isHere = async (): Promise<boolean> => (await git.resolveCommit(session.base_commit)) !== null;
  if (sharing?.role !== 'worker' || (await isHere())) return true;
  const branch = landsOn(session);
  await sharing.bring(branch);
  if (await isHere()) return true;
  // Its server ended between the two, or the branch was reset: its lead asks the person about that.
  const message = `${branch} at ${sharing.remote} does not hold ${shortId(session.base_commit)}, which the session says it is at: nothing begins here until it does.`;
  tellOnce({ events, run }, message);
  return false;
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
  const message = `To have another machine work on it too, there: git flame work --join ${shellQuote(sharing.remote)} --plan ${digest}`;
  events.emit({ event: 'notice', level: 'info', message });
}

/** Says, each time this machine comes to have nothing to do, what it waits for: nothing else shows that it goes on. */
export function tellIdle(
  workshop: Pick<Workshop, 'events' | 'place' | 'run' | 'sharing'>,
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
): void {
  const elsewhere = tasks.filter((task) => isElsewhere(workshop, task));
  const hosts = [...new Set(elsewhere.map(({ claimed_host: host }) => host))];
  const on = (host: string | null): string =>
    elsewhere.flatMap(({ id, claimed_host }) => (claimed_host === host ? [id] : [])).join(', ');
  const held = hosts.map((host) => `${on(host)} on ${host}`).join('; ');
  const lead = session.machines?.lead ?? 'its lead';
  const message =
    workshop.sharing?.role === 'worker'
      ? `Nothing to do here for now: it waits for what ${lead} has done next, and ends with the session. Ctrl-C leaves it.`
      : `Nothing to do here until others are done: ${held}`;
  if (workshop.run.idle === message) return;
  workshop.run.idle = message;
  workshop.events.emit({ event: 'notice', level: 'info', message });
}
