import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { NoteWithState } from '../../domain/view-models/task-story.ts';
import { compareText } from '../../util/sort-and-group.ts';
import { listNotesOfAcceptedAttempt } from './notes-for-task.ts';

/** All notes of a session, newest first, by any clone. `trusted`: the pages with trusted notes alone. */
export function listNotesWithState(
  pages: readonly BlackboardPage[],
  tasks: readonly Task[],
  trusted: readonly BlackboardPage[],
): readonly NoteWithState[] {
  const known = new Set(trusted.flatMap(({ notes }) => notes));
  return pages
    .flatMap((page) => {
      const { task } = page;
      const worker = tasks.find(({ id }) => id === task);
      const counting = new Set(
        (worker === undefined ? [] : listNotesOfAcceptedAttempt(worker, pages)).map(({ id }) => id),
      );
      return page.notes.map((note): NoteWithState => {
        const isVoid = task !== null && !counting.has(note.id);
        const state = !known.has(note) ? 'elsewhere' : isVoid ? 'void' : 'active';
        return { ...note, task, state };
      });
    })
    .sort((a, b) => compareText(b.at, a.at) || compareText(a.id, b.id));
}
