import { boundText } from '../../core/task/one-line.ts';
import { type LeftNote, makeNote, noteBounds } from '../../domain/state/blackboard.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { nameLines } from '../../domain/state/line-range.ts';
import { findSecrets } from '../../policy/secrets/secrets.ts';
import type { Recording, SessionView } from '../record.ts';

const longestPath = 500;

/**
 * Turns remarks on an approved changeset that lands into notes for later tasks that may write the same files; null
 * without any. Remarks that look like a credential stay with the landing alone, and so do those the session has no room
 * for.
 */
export function remarkNotes(
  view: Pick<SessionView, 'pages'>,
  { group, remarks = [], decided_by: by }: Changeset,
  { at, place }: Pick<LeftNote, 'at' | 'place'>,
): NonNullable<Recording['notes']> | null {
  if (by === null) return null;
  const known = view.pages().find(({ task }) => task === null)?.notes.length ?? 0;
  const notes = remarks
    .filter(({ path }) => path.length <= longestPath)
    .map(({ path, text, ...lines }) => {
      const said = `On ${path}:${nameLines(lines)}, remarked when ${group} was approved: ${text}`;
      const note = boundText(said, noteBounds.text);
      return makeNote({ text: note, by, at, place, tasks: [], paths: [path] });
    })
    .filter(({ text }) => findSecrets(text, null).length === 0)
    .slice(0, Math.max(0, noteBounds.ofSession - known));
  if (notes.length === 0) return null;
  const paths = [...new Set(notes.flatMap((note) => note.paths))].join(', ');
  return {
    changes: [{ task: null, add: notes, drop: [] }],
    subject: `notes: remarks with the approval of ${group} left for later tasks on ${paths}`.slice(0, 200),
  };
}
