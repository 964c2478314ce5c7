import type { ServicePause, Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';

/** The pause an adapter's service is in, at a time in milliseconds since 1970; null if it can be asked. */
export function pauseOf(
  { pauses }: Pick<Session, 'pauses'>,
  adapter: string,
  now: number,
): ServicePause | null {
  return pauses.find((pause) => pause.adapter === adapter && Date.parse(pause.until) > now) ?? null;
}

/** A session in which nothing asks a service before a time. A pause that lasts longer stays; past ones go. */
export function addPause(session: Session, pause: ServicePause, now: number): Session {
  const known = pauseOf(session, pause.adapter, now);
  const isLonger = known !== null && Date.parse(known.until) >= Date.parse(pause.until);
  const others = session.pauses.filter(
    ({ adapter, until }) => adapter !== pause.adapter && Date.parse(until) > now,
  );
  return { ...session, pauses: [...others, isLonger ? known : pause] };
}

/** Tasks as the scheduler is to see them: none may start before the service its adapter needs can be asked. */
export function holdPaused(
  tasks: readonly Task[],
  session: Pick<Session, 'pauses'>,
  options: { readonly adapterOf: (task: Task) => string; readonly now: number },
): readonly Task[] {
  if (session.pauses.length === 0) return tasks;
  return tasks.map((task) => {
    const pause = task.status === 'pending' ? pauseOf(session, options.adapterOf(task), options.now) : null;
    if (pause === null || laterOf(task.not_before, pause.until) === task.not_before) return task;
    return { ...task, not_before: pause.until };
  });
}

function laterOf(a: string | null, b: string): string {
  return a !== null && Date.parse(a) > Date.parse(b) ? a : b;
}
