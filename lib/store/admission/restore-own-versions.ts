import { isDeepStrictEqual } from 'node:util';
import { isSessionVersionOwn, isTaskVersionOwn } from '../../core/admission/own-versions.ts';
import type { Snapshot, StateChange } from '../../domain/ports/store-port.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { AdmissionStore } from './admission-store.ts';

/** A task to bring back; null: the session itself. */
export interface RestorableNote {
  readonly session: Session;
  readonly task: Task | null;
}

export interface RestoreOwnRequest {
  readonly actor: string;
  readonly isSelected: (one: RestorableNote) => boolean;
  /** Sees what can be brought back before anything is written; it throws where that isn't what the person named. */
  readonly check: (found: readonly RestorableNote[]) => void;
}

/**
 * Writes this clone's own last version of notes that another clone changed, as new versions, all in one transaction:
 * a kill leaves all of it or nothing. What another process changes meanwhile is judged again, never written over.
 * Resolves to the ids of tasks and sessions.
 */
export async function restoreOwnVersions(
  store: AdmissionStore,
  decided: DecisionLog,
  wishes: RestoreOwnRequest,
): Promise<readonly string[]> {
  for (;;) {
    const selected = changedElsewhere(await store.raw.snapshot(), decided, wishes);
    const lasts = await findLasts(store, selected);
    const found = selected.filter((one) => lasts.of(one) !== null);
    wishes.check(found);
    const seen = new Map((await store.snapshot()).sessions.map((session) => [session.id, session]));
    let isStale = false;
    await store.raw.transact((raw) => {
      isStale = !isDeepStrictEqual(changedElsewhere(raw, decided, wishes), selected);
      const changes = isStale ? [] : found.flatMap((one) => restoration(one, lasts, seen));
      return changes.length === 0 ? null : { changes, actor: wishes.actor };
    });
    if (!isStale) return found.map(({ session, task }) => task?.id ?? session.id);
  }
}

function changedElsewhere(
  raw: Snapshot,
  decided: DecisionLog,
  { isSelected }: RestoreOwnRequest,
): readonly RestorableNote[] {
  decided.refresh();
  const known = raw.sessions.filter(({ id, archived_at: at }) => at === undefined && decided.hasDecidedInSession(id));
  return known
    .flatMap((session): readonly RestorableNote[] => [
      ...(isSessionVersionOwn(session, decided) ? [] : [{ session, task: null }]),
      ...raw.tasksOf(session.id).flatMap((task) => (isTaskVersionOwn(task, decided) ? [] : [{ session, task }])),
    ])
    .filter(isSelected);
}

interface Lasts {
  of(one: RestorableNote): Task | Session | null;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly sessions: ReadonlyMap<string, Session>;
}

async function findLasts(store: AdmissionStore, selected: readonly RestorableNote[]): Promise<Lasts> {
  const tasks = await store.findLastTrustedTasks(selected.flatMap(({ task }) => task ?? []));
  const changed = selected.filter(({ task }) => task === null).map(({ session }) => session);
  const sessions = await store.findLastTrustedSessions(changed);
  const of = ({ session, task }: RestorableNote): Task | Session | null =>
    (task === null ? sessions.get(session.id) : tasks.get(`${session.id}/${task.id}`)) ?? null;
  return { of, tasks, sessions };
}

function restoration(
  { session, task }: RestorableNote,
  { tasks, sessions }: Lasts,
  seen: ReadonlyMap<string, Session>,
): readonly StateChange[] {
  if (task === null) {
    const last = sessions.get(session.id);
    if (last === undefined) return [];
    const next = restoreCourse(session, { last, seen: seen.get(session.id) ?? session });
    return [{ subject: 'session: restored as this clone left it', session: next }];
  }
  const own = tasks.get(`${session.id}/${task.id}`);
  if (own === undefined) return [];
  const transition = `${task.status} -> ${own.status}`;
  return [{ subject: `${task.id}: ${transition}, restored as this clone left it`, tasks: [own], transition }];
}

/** A session as this clone left it: what it is for, where it stands, and which of its changesets have landed. */
function restoreCourse(raw: Session, { last, seen }: { readonly last: Session; readonly seen: Session }): Session {
  const { objective, base_branch, landing, cycle, wave, state, replans, proposal } = last;
  const { landing: _, ...rest } = raw;
  const lands = landing === undefined ? {} : { landing };
  return {
    ...rest,
    ...lands,
    changesets: seen.changesets,
    objective,
    base_branch,
    cycle,
    wave,
    state,
    replans,
    proposal,
  };
}
