import { toSortedKeyJson } from '../core/merge/merge-values.ts';
import type { MemoryEntry, MemoryProvider } from '../domain/state/memory.ts';
import { findSingleNote, type RefState } from './notes/indexed-state.ts';
import { memoryAnchor, memoryNoteKind } from './notes/note-kinds.ts';
import type { StoreOptions } from './store-options.ts';
import { pairNoteKeyWithAnchor } from './write/apply-change.ts';
import {
  type NotesChangeOutsideState,
  readNotesOutsideState,
  writeNotesOutsideState,
} from './write/notes-outside-state.ts';

/** Memory as notes on refs/blueflame/memory: one commit for what is saved together, by compare-and-swap. */
export function openMemoryInGitNotes(options: StoreOptions): MemoryProvider {
  return {
    name: 'notes',
    load: () => readNotesOutsideState(options, memoryNoteKind),
    save: async (entries, actor) => {
      await writeNotesOutsideState(options, { kind: memoryNoteKind, reason: 'git flame memory' }, (state) =>
        freshEntries(state, { entries, actor }, options),
      );
    },
  };
}

function freshEntries(
  state: RefState<MemoryEntry>,
  { entries, actor }: { readonly entries: readonly MemoryEntry[]; readonly actor: string },
  { objectFormat }: StoreOptions,
): NotesChangeOutsideState<MemoryEntry> | null {
  const writes = entries
    .map((entry) => ({
      entry,
      ...pairNoteKeyWithAnchor(objectFormat, memoryAnchor(entry.session, entry.task)),
    }))
    .filter(({ key, entry }) => !isKnown(findSingleNote(state, key)?.value ?? null, entry));
  const [first] = writes;
  if (first === undefined) return null;
  return {
    actor,
    writes: writes.map(({ entry, key, anchor }) => ({
      key,
      anchor,
      next: (_: MemoryEntry | null, rev: number) => ({ ...entry, rev }),
    })),
    change: {
      subject: `memory: ${writes.length} ${writes.length === 1 ? 'entry' : 'entries'} of ${first.entry.session}`,
      about: first.entry.session,
    },
  };
}

/** True if both are equal but for the number of writes. */
function isKnown(stored: MemoryEntry | null, entry: MemoryEntry): boolean {
  return stored !== null && toSortedKeyJson({ ...stored, rev: entry.rev }) === toSortedKeyJson(entry);
}
