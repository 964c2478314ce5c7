import { presumeReservationsSpent } from '../../core/schedule/budget-state.ts';
import { releaseTask } from '../../core/task/task-attempt.ts';
import type { SessionId } from '../../domain/ids.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { BudgetReservation } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { digestPlanTasks } from '../../domain/view-models/status-view.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { decideAndRecord, type SessionView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp, warnOnce } from '../run-context.ts';

/**
 * Releases claims of machines without a heartbeat for their lease. A silent machine may work all the same: its claims
 * have numbers, so a result of an earlier one changes nothing.
 */
export async function releaseClaimsOfGoneMachines(context: RunContext, id: SessionId): Promise<void> {
  const { remoteSession } = context;
  if (remoteSession === undefined) return;
  await presumeShares(context, id);
  const isGivenUp = (task: Task): boolean =>
    isTaskOnOtherMachine(context, task) && remoteSession.isGone(task.claimed_host ?? '');
  if (!(await viewSession(context, id)).tasks.some(isGivenUp)) return;
  let passed: readonly Task[] = [];
  await decideAndRecord(context, id, ({ tasks }) => {
    passed = tasks.filter(isGivenUp);
    const at = timestamp(context);
    const reason = (task: Task): string => `${task.claimed_host} sent no heartbeat`;
    return passed.length === 0
      ? null
      : { steps: passed.map((task) => releaseTask(task, { reason: reason(task), at })) };
  });
  for (const { id: task, agent_id, claimed_host } of passed)
    context.events.emit({
      event: 'claim-passed-on',
      task,
      agent: agent_id,
      machine: claimed_host ?? '',
      message: `${task} is free again: ${claimed_host} sent no heartbeat.`,
    });
}

/**
 * Counts reservations of such machines' agents as spent from now on, in every role: they may have spent all of it.
 * Their clone reports the real amount once it is back.
 */
async function presumeShares(context: RunContext, id: SessionId): Promise<void> {
  const { remoteSession } = context;
  if (remoteSession === undefined) return;
  const isGivenUp = ({ machine, presumed }: BudgetReservation): boolean =>
    presumed !== true && machine !== remoteSession.machine && remoteSession.isGone(machine);
  if (!((await viewSession(context, id)).session.reservations ?? []).some(isGivenUp)) return;
  let returned: readonly BudgetReservation[] = [];
  await decideAndRecord(context, id, ({ session }) => {
    returned = (session.reservations ?? []).filter(isGivenUp);
    const subject = 'session: reservations of silent machines count as spent';
    return returned.length === 0 ? null : { session: { next: presumeReservationsSpent(session, isGivenUp), subject } };
  });
  for (const { agent, machine, cost_usd, tokens } of returned) {
    const share = tokens > 0 ? `${tokens} tokens` : `$${cost_usd.toFixed(2)}`;
    const message = `${share} reserved for ${agent} on ${machine} count as spent, because that machine sent no heartbeat. What the agent did not spend is free again once its clone is back.`;
    context.events.emit({ event: 'notice', level: 'warning', message });
  }
}

/** Whether an agent on another machine has it. A person's claim has no lease. */
export function isTaskOnOtherMachine({ place }: Pick<RunContext, 'place'>, task: Task): boolean {
  const { status, agent_id, claimed_host } = task;
  return status === 'claimed' && agent_id !== null && claimed_host !== null && claimed_host !== place;
}

/**
 * Whether the work goes on without this machine having anything to do: a lead waits for what others hold, who joined
 * waits until the session has ended.
 */
export function isWaitingForOtherMachines(
  context: Pick<RunContext, 'place' | 'remoteSession' | 'gracefulStop'>,
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
): boolean {
  const { remoteSession, gracefulStop } = context;
  if (remoteSession === undefined || gracefulStop.isRequested() || session.state !== 'active') return false;
  return remoteSession.role === 'worker' || tasks.some((task) => isTaskOnOtherMachine(context, task));
}

/** Whether this machine works in a session that another one leads. */
export function isJoinedMachine({ remoteSession }: Pick<RunContext, 'remoteSession'>): boolean {
  return remoteSession?.role === 'worker';
}

/** Brings the commit that work starts from, where the lead landed something since the last one; false: it is nowhere. */
export async function fetchBase(
  { events, git, run, remoteSession }: Pick<RunContext, 'events' | 'git' | 'run' | 'remoteSession'>,
  { session }: Pick<SessionView, 'session'>,
): Promise<boolean> {
  const isHere = async (): Promise<boolean> => (await git.resolveCommit(session.base_commit)) !== null;
  if (remoteSession?.role !== 'worker' || (await isHere())) return true;
  const branch = findLandingBranch(session);
  await remoteSession.fetchBranchCommits(branch);
  if (await isHere()) return true;
  // Its server ended between the two, or the branch was reset: its lead asks the person about that.
  const message = `${branch} at ${remoteSession.remote} does not hold ${shortId(session.base_commit)}, which the session records as its tip. No task starts here until it does.`;
  warnOnce({ events, run }, message);
  return false;
}

/** Says what to type on another machine, each time the plan is another one. */
export function reportHowToJoin(
  { events, run, remoteSession }: Pick<RunContext, 'events' | 'run' | 'remoteSession'>,
  { snapshot, session }: Pick<SessionView, 'snapshot' | 'session'>,
): void {
  if (remoteSession?.role !== 'lead') return;
  const digest = digestPlanTasks(snapshot.tasksOf(session.id));
  if (run.warned.has(digest)) return;
  run.warned.add(digest);
  const message = `To have another machine work on it too, run there: git flame work --join ${shellQuote(remoteSession.remote)} --plan ${digest}`;
  events.emit({ event: 'notice', level: 'info', message });
}

/** Says, each time this machine comes to have nothing to do, what it waits for: nothing else shows that it goes on. */
export function reportIdleMachine(
  context: Pick<RunContext, 'events' | 'place' | 'run' | 'remoteSession'>,
  { session, tasks }: Pick<SessionView, 'session' | 'tasks'>,
): void {
  const elsewhere = tasks.filter((task) => isTaskOnOtherMachine(context, task));
  const hosts = [...new Set(elsewhere.map(({ claimed_host: host }) => host))];
  const on = (host: string | null): string =>
    elsewhere.flatMap(({ id, claimed_host }) => (claimed_host === host ? [id] : [])).join(', ');
  const held = hosts.map((host) => `${on(host)} on ${host}`).join('; ');
  const lead = session.machines?.lead ?? 'the lead machine';
  const message =
    context.remoteSession?.role === 'worker'
      ? `No task for this machine now. It waits for the next one from ${lead} and stops with the session. Ctrl-C leaves the session.`
      : `No task for this machine until other machines finish: ${held}`;
  if (context.run.idle === message) return;
  context.run.idle = message;
  context.events.emit({ event: 'notice', level: 'info', message });
}
