import {
  type IncomingChange,
  listLeftNoteChanges,
  listMemoryChanges,
  listReviewChanges,
  listSessionChanges,
  listTaskChanges,
  listVerdictChanges,
} from '../../core/merge/incoming-changes.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { IndexedState } from '../notes/indexed-state.ts';
import { diffNotes, type TreeNode } from '../notes/note-tree.ts';
import type { StoredNote } from '../notes/stored-note.ts';

type Root<T> = TreeNode<StoredNote<T>> | null;
type Sides<T> = readonly [before: Root<T>, after: Root<T>];

/** Lists the changes a merge brings into the local state, note by note, by any author. */
export function incomingChanges(
  before: IndexedState,
  after: IndexedState,
  memory: Sides<MemoryEntry>,
): readonly IncomingChange[] {
  return [
    ...changesOf([before.sessions.root, after.sessions.root], listSessionChanges),
    ...changesOf([before.tasks.root, after.tasks.root], listTaskChanges),
    ...changesOf([before.validations.root, after.validations.root], (old, now) =>
      listVerdictChanges(old?.verdicts ?? [], now.verdicts),
    ),
    ...changesOf([before.reviews.root, after.reviews.root], (_, now, key) => listReviewChanges(key, now)),
    ...changesOf([before.blackboard.root, after.blackboard.root], listLeftNoteChanges),
    ...changesOf(memory, listMemoryChanges),
  ];
}

function changesOf<T>(
  [before, after]: Sides<T>,
  describe: (before: T | null, after: T, key: string) => readonly IncomingChange[],
): readonly IncomingChange[] {
  const { gone, added } = diffNotes(before, after);
  const old = new Map(gone.map((note) => [note.key, note.value]));
  // Unreadable notes are reported as damage.
  return added.flatMap(({ key, value }) => (value === null ? [] : describe(old.get(key) ?? null, value, key)));
}
