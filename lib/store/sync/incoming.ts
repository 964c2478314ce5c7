import {
  blackboardChanges,
  type IncomingChange,
  memoryChanges,
  reviewChanges,
  sessionChanges,
  taskChanges,
  verdictChanges,
} from '../../core/merge/incoming-changes.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import type { Note } from '../notes/note.ts';
import { diffNotes, type TreeNode } from '../notes/note-tree.ts';
import type { State } from '../notes/state.ts';

type Root<T> = TreeNode<Note<T>> | null;
type Sides<T> = readonly [before: Root<T>, after: Root<T>];

/** Lists the changes a merge brings into the local state, note by note, by any author. */
export function incomingChanges(
  before: State,
  after: State,
  memory: Sides<MemoryEntry>,
): readonly IncomingChange[] {
  return [
    ...changesOf([before.sessions.root, after.sessions.root], sessionChanges),
    ...changesOf([before.tasks.root, after.tasks.root], taskChanges),
    ...changesOf([before.validations.root, after.validations.root], (old, now) =>
      verdictChanges(old?.verdicts ?? [], now.verdicts),
    ),
    ...changesOf([before.reviews.root, after.reviews.root], (_, now, key) => reviewChanges(key, now)),
    ...changesOf([before.blackboard.root, after.blackboard.root], blackboardChanges),
    ...changesOf(memory, memoryChanges),
  ];
}

function changesOf<T>(
  [before, after]: Sides<T>,
  describe: (before: T | null, after: T, key: string) => readonly IncomingChange[],
): readonly IncomingChange[] {
  const { gone, added } = diffNotes(before, after);
  const old = new Map(gone.map((note) => [note.key, note.value]));
  // Unreadable notes are reported as damage.
  return added.flatMap(({ key, value }) =>
    value === null ? [] : describe(old.get(key) ?? null, value, key),
  );
}
