import type { SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { listMachines, type ShownMachine } from '../../domain/view-models/listed-machines.ts';
import { withCatFile } from '../../git/process/cat-file.ts';
import { advanceIndexedState, emptyIndexedState, type RefState, StateSnapshot } from '../notes/indexed-state.ts';
import { loadNotes } from '../notes/load-notes.ts';
import { type NoteKind, sessionNoteKind, taskNoteKind } from '../notes/note-kinds.ts';
import { listRefs } from '../notes/read-tips.ts';
import type { StorePlace } from '../store-options.ts';
import { fetchStateObjects, machinesRoot, trackingRef } from '../sync/remote-refs.ts';
import { readAuthenticHeartbeats } from './machine-ref.ts';

/** Lists the machines of a session as this clone last saw them at the remote, without asking it now. */
export async function listLastSeenMachines(
  { context, commonDir }: Pick<StorePlace, 'context' | 'commonDir'>,
  session: Session,
  tasks: readonly Task[],
): Promise<readonly ShownMachine[]> {
  const remote = session.machines?.remote;
  if (remote === undefined) return [];
  const refs = await listRefs(context, trackingRef(remote, `${machinesRoot}${session.id}/`));
  return withCatFile({ context, commonDir }, async (catFile) =>
    listMachines({ session, tasks, signs: await readAuthenticHeartbeats(catFile, refs) }),
  );
}

/**
 * Lists the machines of a session as the remote has them now, moving no ref; `session` null: of the latest that is
 * shared. Throws FlameError `remote-unreachable`.
 */
export async function listMachinesAtRemote(
  { context, commonDir, objectFormat }: StorePlace,
  { remote, session: wanted }: { readonly remote: string; readonly session: SessionId | null },
): Promise<{ readonly session: Session | null; readonly machines: readonly ShownMachine[] }> {
  const theirs = await fetchStateObjects(context, remote);
  return withCatFile({ context, commonDir }, async (catFile) => {
    const read = async <T>(kind: NoteKind<T>): Promise<RefState<T>> => {
      const tip = theirs.get(kind.ref) ?? null;
      return { kind, tip, root: tip === null ? null : await loadNotes({ catFile, objectFormat }, kind, tip, null) };
    };
    const [sessions, tasks] = [await read(sessionNoteKind), await read(taskNoteKind)];
    const snapshot = new StateSnapshot(
      advanceIndexedState(emptyIndexedState, { ...emptyIndexedState, sessions, tasks }),
    );
    const shared = snapshot.sessions.filter(({ machines }) => machines !== undefined);
    const session = shared.find(({ id }) => id === wanted) ?? shared.findLast(({ state }) => state !== 'ended') ?? null;
    if (session === null) return { session, machines: [] };
    const refs = [...theirs].filter(([ref]) => ref.startsWith(`${machinesRoot}${session.id}/`));
    const signs = await readAuthenticHeartbeats(catFile, refs);
    return { session, machines: listMachines({ session, tasks: snapshot.tasksOf(session.id), signs }) };
  });
}
