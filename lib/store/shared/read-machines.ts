import type { SessionId } from '../../domain/ids.ts';
import type { FoundMachines } from '../../domain/shown/machines.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { loadNotes } from '../notes/load-notes.ts';
import { sessionNotes, taskNotes } from '../notes/note-kinds.ts';
import { emptyState, nextState, StateSnapshot } from '../notes/state.ts';
import type { StoreOptions } from '../store-options.ts';
import { machinesRoot, peekState } from '../sync/remote.ts';
import { readOwnSigns } from './machine-ref.ts';

/**
 * Reads the machines of a session from the remote, moving no ref; null: of the latest session that is shared. Throws
 * FlameError `remote-unreachable`.
 */
export async function readMachines(
  { context, commonDir, objectFormat }: Pick<StoreOptions, 'context' | 'commonDir' | 'objectFormat'>,
  { remote, session: wanted }: { readonly remote: string; readonly session: SessionId | null },
): Promise<FoundMachines> {
  const theirs = await peekState(context, remote);
  const catFile = new CatFile(context, commonDir);
  try {
    const loading = { catFile, commonDir, objectFormat };
    const [sessionsTip, tasksTip] = [theirs.get(sessionNotes.ref) ?? null, theirs.get(taskNotes.ref) ?? null];
    const { sessions, tasks, ...others } = emptyState;
    const snapshot = new StateSnapshot(
      nextState(emptyState, {
        ...others,
        sessions: {
          ...sessions,
          tip: sessionsTip,
          root: sessionsTip === null ? null : await loadNotes(loading, sessionNotes, sessionsTip, null),
        },
        tasks: {
          ...tasks,
          tip: tasksTip,
          root: tasksTip === null ? null : await loadNotes(loading, taskNotes, tasksTip, null),
        },
      }),
    );
    const shared = snapshot.sessions.filter(({ machines }) => machines !== undefined);
    const session =
      shared.find(({ id }) => id === wanted) ?? shared.findLast(({ state }) => state !== 'ended') ?? null;
    if (session === null) return { session: null, tasks: [], signs: [] };
    const root = `${machinesRoot}${session.id}/`;
    const tips = [...theirs].filter(([ref]) => ref.startsWith(root));
    return { session, tasks: snapshot.tasksOf(session.id), signs: await readOwnSigns(catFile, tips) };
  } finally {
    await catFile.close();
  }
}
