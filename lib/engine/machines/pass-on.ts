import { presumeSpent } from '../../core/schedule/budget-state.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Reservation } from '../../domain/state/session.ts';
import { landsOn } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import { planDigest } from '../../domain/view-models/status.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { record, type SessionView, viewSession } from '../record.ts';
import { tellOnce, timestamp, type Workshop } from '../run-context.ts';

/**
 * Releases claims of machines without a heartbeat for their lease. A silent machine may work all the same: its claims
 * have numbers, so a result of an earlier one changes nothing.
 */
export async function passOnClaims(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing } = workshop;
  if (sharing === undefined) return;
  await presumeShares(workshop, id);
  const isGivenUp = (task: Task): boolean =>
    isElsewhere(workshop, task) && sharing.isGone(task.claimed_host ?? '');
  if (!(await viewSession(workshop, id)).tasks.some(isGivenUp)) return;
  let passed: readonly Task[] = [];
  await record(workshop, id, ({ tasks }) => {
    passed = tasks.filter(isGivenUp);
    const at = timestamp(workshop);
    const reason = (task: Task): string => `${task.claimed_host} gave no sign of life`;
    return passed.length === 0
      ? null
      : { steps: passed.map((task) => releaseTask(task, { reason: reason(task), at })) };
  });
  for (const { id: task, agent_id, claimed_host } of passed)
    workshop.events.emit({
      event: 'claim-passed-on',
      task,
      agent: agent_id,
      machine: claimed_host ?? '',
      message: `${task} is free again: ${claimed_host} gave no sign of life.`,
    });
}

/**
 * Counts reservations of such machines' agents as spent from now on, in every role: they may have spent all of it.
 * Their clone reports the real amount once it is back.
 */
async function presumeShares(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing } = workshop;
  if (sharing === undefined) return;
  const isGivenUp = ({ machine, presumed }: Reservation): boolean =>
    presumed !== true && machine !== sharing.machine && sharing.isGone(machine);
  if (!((await viewSession(workshop, id)).session.reservations ?? []).some(isGivenUp)) return;
  let returned: readonly Reservation[] = [];
  await record(workshop, id, ({ session }) => {
    returned = (session.reservations ?? []).filter(isGivenUp);
    const subject = 'session: what machines had set aside that gave no sign of life counts as spent';
    return returned.length === 0 ? null : { session: { next: presumeSpent(session, isGivenUp), subject } };
  });
  for (const { agent, machine, cost_usd, tokens } of returned) {
    const share = tokens > 0 ? `${tokens} tokens` : `$${cost_usd.toFixed(2)}`;
    const message = `${share} that ${agent} on ${machine} had set aside count as spent: it gave no sign of life. What it did not spend of that is free again once its clone is back.`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
  }
}

/** Whether an agent on another machine has it. A person's claim has no lease. */
export function isElsewhere({ place }: Pick<Workshop, 'place'>, task: Task): boolean {
  const { status, agent_id, claimed_host } = task;
  return status === 'claimed' && agent_id !== null && claimed_host !== null && claimed_host !== place;
}

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
