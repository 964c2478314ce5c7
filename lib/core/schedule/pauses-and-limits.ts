import type { ServicePause, Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';

/** The pause an adapter's service is in, at a time in milliseconds since 1970; null if it can be asked. */
export function findServicePause(
  { pauses }: Pick<Session, 'pauses'>,
  adapter: string,
  now: number,
): ServicePause | null {
  return pauses.find((pause) => pause.adapter === adapter && Date.parse(pause.until) > now) ?? null;
}

/** A session in which nothing asks a service before a time. A pause that lasts longer stays; past ones go. */
export function addPause(session: Session, pause: ServicePause, now: number): Session {
  const known = findServicePause(session, pause.adapter, now);
  const isLonger = known !== null && Date.parse(known.until) >= Date.parse(pause.until);
  const others = session.pauses.filter(({ adapter, until }) => adapter !== pause.adapter && Date.parse(until) > now);
  return { ...session, pauses: [...others, isLonger ? known : pause] };
}

/** Tasks as the scheduler is to see them: none may start before the service its adapter needs can be asked. */
export function delayTasksOfPausedServices(
  tasks: readonly Task[],
  session: Pick<Session, 'pauses'>,
  options: { readonly adapterOf: (task: Task) => string; readonly now: number },
): readonly Task[] {
  if (session.pauses.length === 0) return tasks;
  return tasks.map((task) => {
    const pause = task.status === 'pending' ? findServicePause(session, options.adapterOf(task), options.now) : null;
    if (pause === null || laterOf(task.not_before, pause.until) === task.not_before) return task;
    return { ...task, not_before: pause.until };
  });
}

function laterOf(a: string | null, b: string): string {
  return a !== null && Date.parse(a) > Date.parse(b) ? a : b;
}

/**
 * Computes how many agents may run at once: at most the configured number, at least one, and no more than memory
 * allows. Each running agent will still take `minPerAgentMb` less what it uses now from the free memory; `usedMb` holds
 * what each of them uses.
 */
export function limitAgentsByMemory({
  configured,
  freeMb,
  minPerAgentMb,
  usedMb = [],
}: {
  readonly configured: number;
  readonly freeMb: number;
  readonly minPerAgentMb: number;
  readonly usedMb?: readonly number[];
}): { readonly limit: number; readonly isReduced: boolean } {
  const toCome = usedMb.reduce((sum, used) => sum + Math.max(0, minPerAgentMb - used), 0);
  const further = Math.floor(Math.max(0, freeMb - toCome) / Math.max(1, minPerAgentMb));
  const limit = Math.max(1, Math.min(configured, usedMb.length + further));
  return { limit, isReduced: limit < configured };
}

interface Room {
  /** Remaining budget of the session; null: it has no limit, or one in another unit. */
  readonly left: number | null;
  /** Budget of one attempt; 0: no limit of its own. */
  readonly each: number;
}

// Sums of dollars are not exact.
const rounding = 1e-9;

/**
 * How many of several attempts are made at once: as many as fit in what is left of the session's budget with all that
 * each may spend, and at least one, whose share is cut like that of any agent.
 */
export function limitAttemptsByBudget(wanted: number, { left, each }: Room): number {
  if (left === null || each <= 0) return wanted;
  const fitting = Math.floor(left / each + rounding);
  return Math.max(1, Math.min(wanted, fitting));
}
