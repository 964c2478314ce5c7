import { advanceIndexedState, emptyIndexedState, type IndexedState } from '../notes/indexed-state.ts';
import type { LoadContext } from '../notes/load-notes.ts';
import { noteKindsInArchive } from '../notes/note-kinds.ts';
import { readRefOutsideState } from '../notes/state-reader.ts';

/** Reads the archive as a state like any other; the reviews are those of the state at hand. */
export async function readArchive(
  context: LoadContext & { readonly commonDir: string },
  { reviews }: Pick<IndexedState, 'reviews'>,
): Promise<IndexedState> {
  return advanceIndexedState(emptyIndexedState, {
    sessions: await readRefOutsideState(context, noteKindsInArchive.sessions),
    tasks: await readRefOutsideState(context, noteKindsInArchive.tasks),
    validations: await readRefOutsideState(context, noteKindsInArchive.validations),
    reviews,
    blackboard: await readRefOutsideState(context, noteKindsInArchive.blackboard),
  });
}
