import { advanceIndexedState, emptyIndexedState, type IndexedState } from '../notes/indexed-state.ts';
import { noteKindsInArchive } from '../notes/note-kinds.ts';
import { type NotesPlace, readRefOutsideState } from '../notes/state-reader.ts';

/** The refs of the archive. */
export async function readArchivedRefs(context: NotesPlace) {
  return {
    sessions: await readRefOutsideState(context, noteKindsInArchive.sessions),
    tasks: await readRefOutsideState(context, noteKindsInArchive.tasks),
    validations: await readRefOutsideState(context, noteKindsInArchive.validations),
    blackboard: await readRefOutsideState(context, noteKindsInArchive.blackboard),
  };
}

/** Reads the archive as a state like any other; the reviews are those of the state at hand. */
export async function readArchive(
  context: NotesPlace,
  { reviews }: Pick<IndexedState, 'reviews'>,
): Promise<IndexedState> {
  return advanceIndexedState(emptyIndexedState, { ...(await readArchivedRefs(context)), reviews });
}
