import { machineDecision } from '../../core/decisions/decisions.ts';
import { releaseJudging } from '../../core/machines/judging.ts';
import { mendBudget } from '../../core/machines/mend-budget.ts';
import { claimTask, releaseTask } from '../../core/task/task-attempt.ts';
import { requeueTask, restartTask } from '../../core/task/task-return.ts';
import type { TaskChange } from '../../core/task/task-state.ts';
import { agentsOf } from '../../core/task/task-tries.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { SeenBreach } from '../../domain/ports/sharing-port.ts';
import { type Breach, isProof } from '../../domain/state/breach.ts';
import { describeAuthor } from '../../domain/state/describe-author.ts';
import { sharedRoles } from '../../domain/state/machine.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Try } from '../../domain/state/tries.ts';
import { record } from '../record.ts';
import { timestamp, type Workshop } from '../workshop.ts';
import { tellBreaches } from './tell-breaches.ts';

/**
 * What follows of steps that no machine which keeps to the rules made at the remote: they are named, who signed one is
 * trusted with nothing more, what they took from the budget is put back, and who leads takes tasks out of where they were
 * put. All of that by steps that any machine may make, so that no two of them undo each other's.
 */
export async function heedBreaches(workshop: Workshop, id: SessionId): Promise<void> {
  const { sharing, run } = workshop;
  if (sharing === undefined) return;
  const all = sharing.breaches();
  const fresh = all.slice(run.heededBreaches);
  if (fresh.length === 0) return;
  tellBreaches(workshop, fresh);
  distrust(workshop, id, fresh);
  await record(workshop, id, ({ session, snapshot }) => {
    const mended = mendBudget(session, fresh);
    const steps = sharing.role === 'lead' ? takenBack(workshop, snapshot.tasksOf(id), fresh) : [];
    const isMended = mended !== session;
    const subject = 'session: what was taken from its budget is put back';
    return isMended || steps.length > 0
      ? { steps, ...(isMended ? { session: { next: mended, subject } } : {}) }
      : null;
  });
  run.heededBreaches = all.length;
  sharing.heeded(all.length);
}

/** A session as it counts for who is to spend of it: also before what was taken from its budget is put back. */
export function withBudget({ sharing, run }: Pick<Workshop, 'sharing' | 'run'>, session: Session): Session {
  return mendBudget(session, sharing?.breaches().slice(run.heededBreaches) ?? []);
}

/** What a machine says that broke a rule under its own key counts no more, until the person says so anew. */
function distrust({ origins }: Pick<Workshop, 'origins'>, id: SessionId, fresh: readonly SeenBreach[]): void {
  const keys = fresh.flatMap(({ breach }) => (isProof(breach) && breach.key !== null ? [breach.key] : []));
  const decisions = [...new Set(keys)].flatMap((key) =>
    sharedRoles.map((role) => machineDecision({ id }, key, role)),
  );
  const known = decisions.filter((decision) => origins.has(decision));
  if (known.length > 0) origins.settle(known);
}

/** Tasks that still stand as such a step left them: none of them is claimed, done or judged by it. */
function takenBack(
  workshop: Pick<Workshop, 'now'>,
  tasks: readonly Task[],
  breaches: readonly SeenBreach[],
): readonly TaskChange[] {
  const at = timestamp(workshop);
  const open = new Map(tasks.map((task) => [task.id, task]));
  return breaches.flatMap(({ breach, stood }): readonly TaskChange[] => {
    const now = stood?.kind === 'task' ? open.get(stood.after.id) : undefined;
    if (stood?.kind !== 'task' || now === undefined) return [];
    const steps = takeBack(now, { breach, after: stood.after, at });
    // However many lies led there.
    if (steps.length > 0) open.delete(now.id);
    return steps;
  });
}

function takeBack(
  now: Task,
  { breach, after, at }: { readonly breach: Breach; readonly after: Task; readonly at: string },
): readonly TaskChange[] {
  const reason = `${breach.what} (${describeAuthor(breach)})`;
  if (breach.kind === 'judging')
    return now.status === 'done' && isSameJudge(now, after) ? [releaseJudging(now, reason)] : [];
  if (!isSameStand(now, after)) return [];
  if (breach.kind === 'claim' && now.status === 'claimed') return [releaseTask(now, { reason, at })];
  if (breach.kind !== 'result' && breach.kind !== 'status') return [];
  if (now.status === 'failed') return [restartTask(now)];
  if (now.status !== 'done') return [];
  const requeued = requeueTask(now, { kind: 'restart', at, reason });
  return [requeued, restartTask(requeued.task)];
}

function isSameStand(now: Task, then: Task): boolean {
  const { status, agent_id, claim, commit } = now;
  const isSameHolder = agent_id === then.agent_id && claim === then.claim;
  return status === then.status && isSameHolder && commit === then.commit;
}

function isSameJudge({ judging: now }: Task, { judging: then }: Task): boolean {
  return now !== undefined && now.machine === then?.machine && now.claim === then.claim;
}

/**
 * The claim of an agent that such a step took from it: taken again where nobody has it, by a claim as any other. Whether
 * the agent may go on: it has its claim, or who leads is about to free it.
 */
export async function takeAgain(
  workshop: Workshop,
  now: Task,
  agent: { readonly id: AgentId; readonly session: SessionId },
): Promise<boolean> {
  const found = workshop.sharing
    ?.breaches()
    .findLast(
      ({ stood }) =>
        stood?.kind === 'task' && stood.before !== null && agentsOf(stood.before).includes(agent.id),
    );
  if (found?.stood?.kind !== 'task') return false;
  const { before, after } = found.stood;
  if (before?.status !== 'claimed' || before.id !== now.id) return false;
  if (now.status !== 'pending') return isSameStand(now, after);
  const done = await record(workshop, agent.session, ({ snapshot }) => {
    const task = snapshot.tasksOf(agent.session).find(({ id }) => id === now.id);
    if (task?.status !== 'pending') return null;
    const claimed = claimTask(task, {
      ...{ agentId: before.agent_id, worktree: before.worktree, at: timestamp(workshop) },
      ...{ claimedBy: before.claimed_by, host: before.claimed_host, start: before.start_commit },
      ...{ builtOn: before.built_on ?? [], tries: triesNow(task, before) },
    });
    // Another one had it meanwhile, and ended that attempt.
    return agentsOf(claimed.task).includes(agent.id) ? { steps: [claimed] } : null;
  });
  return done.kind === 'done';
}

/** The attempts of a claim that is taken again: those that ended meanwhile stay so. */
function triesNow({ tries: now = [] }: Task, { tries: before = [] }: Task): readonly Try[] {
  return before.map((one, at) => {
    const ended = now[at];
    return one.ended === null && ended !== undefined && ended.ended !== null ? ended : one;
  });
}
