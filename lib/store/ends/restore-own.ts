import { isOwnSession, isOwnTask } from '../../core/decisions/heed-ends.ts';
import { restoreCourse } from '../../core/decisions/settle-ends.ts';
import type { Change, Store } from '../../domain/ports/store-port.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { HeedingStore } from './heeding-store.ts';

/** What was brought back: ids of tasks and sessions. */
export type Restored = readonly string[];

/**
 * Writes this clone's own last version of notes that another clone changed, as new versions, all in one transaction:
 * a kill leaves all of it or nothing. `isMeant` picks tasks, and sessions with null.
 */
export async function restoreOwn(
  store: HeedingStore,
  origins: Origins,
  {
    actor,
    isMeant,
  }: { readonly actor: string; readonly isMeant: (session: Session, task: Task | null) => boolean },
): Promise<Restored> {
  const { tasks, sessions } = await changedElsewhere(store.raw, origins, isMeant);
  const lastTasks = await store.lastTasks(tasks);
  const lastSessions = await store.lastSessions(sessions);
  const restored: string[] = [];
  const seen = new Map((await store.snapshot()).sessions.map((session) => [session.id, session]));
  await store.raw.transact((raw) => {
    restored.length = 0;
    const changes: Change[] = [];
    for (const session of raw.sessions) {
      const last = lastSessions.get(session.id);
      if (last !== undefined) {
        const next = restoreCourse(session, { last, seen: seen.get(session.id) ?? session });
        changes.push({ subject: 'session: as this clone left it', session: next });
        restored.push(session.id);
      }
      for (const task of raw.tasksOf(session.id)) {
        const own = lastTasks.get(`${session.id}/${task.id}`);
        if (own === undefined) continue;
        const transition = `${task.status} -> ${own.status}`;
        changes.push({
          subject: `${task.id}: ${transition}, as this clone left it`,
          tasks: [own],
          transition,
        });
        restored.push(task.id);
      }
    }
    return changes.length === 0 ? null : { changes, actor };
  });
  return restored;
}

async function changedElsewhere(
  raw: Store,
  origins: Origins,
  isMeant: (session: Session, task: Task | null) => boolean,
): Promise<{ readonly tasks: readonly Task[]; readonly sessions: readonly Session[] }> {
  origins.refresh();
  const snapshot = await raw.snapshot();
  const known = snapshot.sessions.filter(({ id, archived_at: at }) => at === undefined && origins.knows(id));
  return {
    sessions: known.filter((session) => isMeant(session, null) && !isOwnSession(session, origins)),
    tasks: known.flatMap((session) =>
      snapshot.tasksOf(session.id).filter((task) => isMeant(session, task) && !isOwnTask(task, origins)),
    ),
  };
}
