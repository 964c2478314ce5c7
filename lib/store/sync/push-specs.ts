import type { SessionId } from '../../domain/ids.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import type { IndexedState, RefState } from '../notes/indexed-state.ts';
import { type LoadContext, loadNotes } from '../notes/load-notes.ts';
import { diffNotes, listNotes } from '../notes/note-tree.ts';
import type { KeptCommitRefMoves, RemoteRefs } from '../write/kept-commits.ts';
import type { MergedRef } from './merge-refs.ts';
import { machinesRoot, type PushSpec } from './remote-refs.ts';

/** Lists the merged refs that the remote lacks. */
export function listNotesRefPushes(refs: readonly MergedRef<unknown>[], theirs: RemoteRefs): PushSpec[] {
  return refs.filter(isRemoteRefReadable).flatMap(({ state }) =>
    // By id: what moves here meanwhile goes with the next sync.
    state.tip === null || state.tip === (theirs.get(state.kind.ref) ?? null)
      ? []
      : [{ from: state.tip, to: state.kind.ref }],
  );
}

/** False where the remote has something else than notes: nothing is sent to it. */
export function isRemoteRefReadable({ outcome }: MergedRef<unknown>): boolean {
  return outcome !== 'unreadable';
}

/** Lists pushes of the refs that keep commits, except where the remote has something else in their place. */
export function listKeptCommitPushes({ tips, problems }: KeptCommitRefMoves, theirs: RemoteRefs): PushSpec[] {
  return [...tips].flatMap(([ref, tip]) =>
    theirs.get(ref) === tip || problems.some((problem) => problem.ref === ref) ? [] : [{ from: tip, to: ref }],
  );
}

/** Heartbeat refs of machines that died before the session they worked on ended. */
export function findEndedHeartbeatRefs({ sessions }: IndexedState, theirs: RemoteRefs): RemoteRefs {
  const ended = new Set(
    [...listNotes(sessions.root)].flatMap(({ value }) => (value?.state === 'ended' ? value.id : [])),
  );
  const isOver = (ref: string): boolean => {
    const [session = ''] = ref.startsWith(machinesRoot) ? ref.slice(machinesRoot.length).split('/') : [];
    return ended.has(session as SessionId);
  };
  return new Map([...theirs].filter(([ref]) => isOver(ref)));
}

/** Notes of a newer version that the remote has and the merged states haven't: sending these would take them away. */
export async function findNotesOfNewerVersion(
  context: LoadContext,
  states: readonly RefState<unknown>[],
  theirs: RemoteRefs,
): Promise<readonly UnusableNote[]> {
  const found: UnusableNote[] = [];
  for (const { kind, tip, root } of states) {
    const there = theirs.get(kind.ref) ?? null;
    if (there === null || there === tip) continue;
    const { added } = diffNotes(root, await loadNotes(context, kind, there, root));
    for (const { isNewer, blob: object, key, problem } of added)
      if (isNewer && problem !== null) found.push({ ref: kind.ref, object, key, message: problem });
  }
  return found;
}
