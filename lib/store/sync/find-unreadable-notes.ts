import { FlameError } from '../../domain/flame-error.ts';
import type { RefName } from '../../domain/ids.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import { withCatFile } from '../../git/process/cat-file.ts';
import { listUnusableNotes, type RefState } from '../notes/indexed-state.ts';
import { type LoadContext, loadNotes } from '../notes/load-notes.ts';
import type { NoteKind } from '../notes/note-kinds.ts';
import { listRefs } from '../notes/read-tips.ts';
import { readRefOutsideState } from '../notes/state-reader.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';
import { noteMergeRules } from './merge-note.ts';
import { trackingRef } from './remote-refs.ts';
import type { SyncOptions } from './sync-options.ts';

/** Finds notes that can't be read in states about to be sent, and that the remote doesn't have like that already. */
export async function findNotesNewlyUnreadable(
  context: LoadContext,
  states: readonly RefState<unknown>[],
  theirs: RemoteRefs,
): Promise<readonly UnusableNote[]> {
  const found: UnusableNote[] = [];
  for (const state of states) {
    const tip = theirs.get(state.kind.ref) ?? null;
    const problems = tip === state.tip ? [] : listUnusableNotes(state);
    if (problems.length === 0) continue;
    const there = new Set(tip === null ? [] : (await problemsAt(context, state, tip)).map(nameOf));
    found.push(...problems.filter((problem) => !there.has(nameOf(problem))));
  }
  return found;
}

async function problemsAt(
  context: LoadContext,
  { kind, root }: RefState<unknown>,
  tip: Parameters<typeof loadNotes>[2],
): Promise<readonly UnusableNote[]> {
  try {
    return listUnusableNotes({ kind, tip, root: await loadNotes(context, kind, tip, root) });
  } catch (error) {
    // A tree that can't be read at all says nothing of its notes.
    if (error instanceof FlameError) return [];
    throw error;
  }
}

function nameOf({ object, message }: UnusableNote): string {
  return `${object} ${message}`;
}

/**
 * Finds notes of the state here that can't be read and that the remote hadn't like that at the last sync; the remote is
 * not asked. Throws FlameError `state-corrupt` where a ref can't be read at all.
 */
export async function findUnsentUnreadableNotes({
  context,
  commonDir,
  objectFormat,
  remote,
}: SyncOptions): Promise<readonly UnusableNote[]> {
  return withCatFile({ context, commonDir }, async (catFile) => {
    const loading = { catFile, objectFormat, commonDir };
    const kinds: readonly NoteKind<unknown>[] = Object.values(noteMergeRules).map(({ kind }) => kind);
    const states = await Promise.all(kinds.map((kind) => readRefOutsideState(loading, kind)));
    const tracked = await listRefs(context, trackingRef(remote, 'refs/blueflame/'));
    const theirs = new Map(
      states.flatMap(({ kind: { ref } }) => {
        const tip = tracked.get(trackingRef(remote, ref) as RefName);
        return tip === undefined ? [] : [[ref, tip] as const];
      }),
    );
    return findNotesNewlyUnreadable(loading, states, theirs);
  });
}
