import type { SessionId } from '../../domain/ids.ts';
import { listNotes } from '../notes/note-tree.ts';
import type { State } from '../notes/state.ts';
import type { KeptCommits, RemoteRefs } from '../write/kept-commits.ts';
import type { MergedRef } from './merge-refs.ts';
import { machinesRoot, type PushSpec } from './remote.ts';

/** Lists the merged refs that the remote lacks. */
export function pushSpecs(refs: readonly MergedRef<unknown>[], theirs: RemoteRefs): PushSpec[] {
  return refs.filter(isReadable).flatMap(({ state }) =>
    // By id: what moves here meanwhile goes with the next sync.
    state.tip === null || state.tip === (theirs.get(state.kind.ref) ?? null)
      ? []
      : [{ from: state.tip, to: state.kind.ref }],
  );
}

/** False where the remote has something else than notes: nothing is sent to it. */
export function isReadable({ outcome }: MergedRef<unknown>): boolean {
  return outcome !== 'unreadable';
}

/** Lists pushes of the refs that keep commits, except where the remote has something else in their place. */
export function keptSpecs({ tips, problems }: KeptCommits, theirs: RemoteRefs): PushSpec[] {
  return [...tips].flatMap(([ref, tip]) =>
    theirs.get(ref) === tip || problems.some((problem) => problem.ref === ref)
      ? []
      : [{ from: tip, to: ref }],
  );
}

/** Heartbeat refs of machines that died before the session they worked on ended. */
export function signsOfEnded({ sessions }: State, theirs: RemoteRefs): RemoteRefs {
  const ended = new Set(
    [...listNotes(sessions.root)].flatMap(({ value }) => (value?.state === 'ended' ? value.id : [])),
  );
  const isOver = (ref: string): boolean => {
    const [session = ''] = ref.startsWith(machinesRoot) ? ref.slice(machinesRoot.length).split('/') : [];
    return ended.has(session as SessionId);
  };
  return new Map([...theirs].filter(([ref]) => isOver(ref)));
}
