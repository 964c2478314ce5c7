import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Task } from '../../domain/state/task.ts';
import type { ShownNote } from '../../domain/view-models/task-story.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { acceptedAttemptNotes } from './notes-for.ts';

/** All notes of a session, newest first, by any clone. `trusted`: the pages with trusted notes alone. */
export function listShownNotes(
  pages: readonly BlackboardPage[],
  tasks: readonly Task[],
  trusted: readonly BlackboardPage[],
): readonly ShownNote[] {
  const known = new Set(trusted.flatMap(({ notes }) => notes));
  return pages
    .flatMap((page) => {
      const { task } = page;
      const worker = tasks.find(({ id }) => id === task);
      const counting = new Set(
        (worker === undefined ? [] : acceptedAttemptNotes(worker, pages)).map(({ id }) => id),
      );
      return page.notes.map((note): ShownNote => {
        const isVoid = task !== null && !counting.has(note.id);
        const state = !known.has(note) ? 'elsewhere' : isVoid ? 'void' : 'active';
        return { ...note, task, state };
      });
    })
    .sort((a, b) => compareText(b.at, a.at) || compareText(a.id, b.id));
}
