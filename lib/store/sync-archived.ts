import type { SessionId } from '../domain/ids.ts';
import type { Session } from '../domain/session.ts';
import type { Task } from '../domain/task.ts';
import { taskNotesOf, validationNotesOf } from './archive-notes.ts';
import type { Note } from './note.ts';
import type { ValidationNote } from './note-kinds.ts';
import { listNotes, type TreeNode } from './note-tree.ts';
import { type MergeKind, mergeKinds } from './sync-merge-note.ts';

/**
 * How tasks and verdicts merge where some sessions are archived: theirs leave, whatever another clone did with
 * them meanwhile. The short note of the session is the mark that says so; once set, it is never taken back.
 */
export function withoutArchived(sessions: TreeNode<Note<Session>> | null): {
  readonly tasks: MergeKind<Task>;
  readonly validations: MergeKind<ValidationNote>;
} {
  const known = archivedSessions(sessions);
  if (known.size === 0) return mergeKinds;
  const { tasks, validations } = mergeKinds;
  return {
    tasks: { ...tasks, removal: (root) => [...known].flatMap((id) => taskNotesOf(root, id).removal) },
    validations: {
      ...validations,
      removal: (root) => validationNotesOf(root, (id) => known.has(id)).removal,
    },
  };
}

function archivedSessions(root: TreeNode<Note<Session>> | null): ReadonlySet<SessionId> {
  return new Set(
    [...listNotes(root)].flatMap(({ json, value }) =>
      json?.archived_at === undefined || value === null ? [] : [value.id],
    ),
  );
}
