import type { LoadContext } from '../notes/load-notes.ts';
import { archiveNotes } from '../notes/note-kinds.ts';
import { emptyState, nextState, type State } from '../notes/state.ts';
import { readSideRef } from '../notes/state-reader.ts';

/** Reads the archive as a state like any other; the reviews are those of the state at hand. */
export async function readArchive(
  context: LoadContext & { readonly commonDir: string },
  { reviews }: Pick<State, 'reviews'>,
): Promise<State> {
  return nextState(emptyState, {
    sessions: await readSideRef(context, archiveNotes.sessions),
    tasks: await readSideRef(context, archiveNotes.tasks),
    validations: await readSideRef(context, archiveNotes.validations),
    reviews,
    blackboard: await readSideRef(context, archiveNotes.blackboard),
  });
}
