import type { ShownNote } from '../../domain/shown/notes.ts';
import type { BlackboardPage } from '../../domain/state/blackboard.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Task } from '../../domain/state/task.ts';
import { byText } from '../../util/by-text.ts';
import { noteDecision } from '../admission/decisions.ts';
import { countingNotes } from './notes-for.ts';

/** All notes of a session, newest first, by whatever clone. */
export function showNotes(
  pages: readonly BlackboardPage[],
  tasks: readonly Task[],
  origins: Origins,
): readonly ShownNote[] {
  return pages
    .flatMap((page) => {
      const { task } = page;
      const worker = tasks.find(({ id }) => id === task);
      const counting = new Set(
        (worker === undefined ? [] : countingNotes(worker, pages)).map(({ id }) => id),
      );
      return page.notes.map((note): ShownNote => {
        const isVoid = task !== null && !counting.has(note.id);
        const state = !origins.has(noteDecision(page, note)) ? 'elsewhere' : isVoid ? 'void' : 'told';
        return { ...note, task, state };
      });
    })
    .sort((a, b) => byText(b.at, a.at) || byText(a.id, b.id));
}
