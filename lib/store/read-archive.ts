import type { LoadContext } from './load-notes.ts';
import { archiveNotes } from './note-kinds.ts';
import { readSideRef } from './side-ref.ts';
import { emptyState, nextState, type State } from './state.ts';

/** What was archived, as a state like any other; the reviews are those of the state at hand. */
export async function readArchive(
  context: LoadContext & { readonly commonDir: string },
  { reviews }: Pick<State, 'reviews'>,
): Promise<State> {
  return nextState(emptyState, {
    sessions: await readSideRef(context, archiveNotes.sessions),
    tasks: await readSideRef(context, archiveNotes.tasks),
    validations: await readSideRef(context, archiveNotes.validations),
    reviews,
  });
}
