import type { LostValue } from '../../core/merge/merge-values.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { compareText } from '../../util/sort-and-group.ts';
import {
  editNoteTree,
  noteFileMode,
  notePath,
  type ObjectSink,
  type TreeEdit,
  type TreeEntry,
  type TreeNode,
} from '../notes/note-tree.ts';
import type { StoredNote } from '../notes/stored-note.ts';
import { admitOneSidedVersion, mergeNote, type NoteMergeRules } from './merge-note.ts';

type Root<T> = TreeNode<StoredNote<T>> | null;
type Entry<T> = TreeEntry<StoredNote<T>>;

/** One note that two clones changed differently. */
export interface NoteConflict<T> {
  readonly note: StoredNote<T>;
  readonly losses: readonly LostValue[];
}

interface MergedTrees<T> {
  readonly root: Root<T>;
  readonly conflicts: readonly NoteConflict<T>[];
}

/**
 * Two trees of notes as one: a note that only one side changed is that side's, one that both changed is merged.
 * Nothing is removed but what belongs to archived sessions. The tree depends on the contents alone, not on which side is which.
 */
export function mergeNoteTrees<T>(
  kind: NoteMergeRules<T>,
  roots: { readonly base: Root<T>; readonly ours: Root<T>; readonly theirs: Root<T> },
  sink: ObjectSink,
): MergedTrees<T> {
  const [base, ours, theirs] = [flatten(roots.base), flatten(roots.ours), flatten(roots.theirs)];
  const edits: TreeEdit<StoredNote<T>>[] = [];
  const conflicts: NoteConflict<T>[] = [];
  for (const key of new Set([...ours.notes.keys(), ...theirs.notes.keys()])) {
    const [old, mine, other] = [base.notes.get(key), ours.notes.get(key), theirs.notes.get(key)];
    const { slot, losses } = mergeSlots(kind, { old, mine, other }, sink);
    edits.push(...placeSlot(key, mine, slot));
    const [place] = slot;
    if (losses.length > 0 && place !== undefined) conflicts.push({ note: place.note, losses });
  }
  for (const path of theirs.others.keys()) {
    const entry = mergeEntries(base.others.get(path), ours.others.get(path), theirs.others.get(path));
    if (entry !== undefined && entry !== ours.others.get(path)) edits.push({ path: path.split('/'), entry });
  }
  const merged = edits.length === 0 ? roots.ours : editNoteTree(roots.ours, edits, sink);
  const removal = kind.removal?.(merged) ?? [];
  return { root: removal.length === 0 ? merged : editNoteTree(merged, removal, sink), conflicts };
}

interface Place<T> {
  readonly path: readonly string[];
  readonly note: StoredNote<T>;
}
/** All notes on one key: one, unless another tool filed it twice. */
type Slot<T> = readonly Place<T>[];

interface Flat<T> {
  readonly notes: ReadonlyMap<ObjectId, Slot<T>>;
  /** Anchors, and what isn't ours, by path. */
  readonly others: ReadonlyMap<string, Entry<T>>;
}

function flatten<T>(root: Root<T>): Flat<T> {
  const notes = new Map<ObjectId, Place<T>[]>();
  const others = new Map<string, Entry<T>>();
  const visit = (node: TreeNode<StoredNote<T>>, above: readonly string[]): void => {
    for (const [name, entry] of node.entries) {
      const path = [...above, name];
      const { note } = entry;
      if (entry.tree !== null) visit(entry.tree, path);
      else if (note === null) others.set(path.join('/'), entry);
      else notes.set(note.key, [...(notes.get(note.key) ?? []), { path, note }]);
    }
  };
  if (root !== null) visit(root, []);
  return { notes, others };
}

function mergeSlots<T>(
  kind: NoteMergeRules<T>,
  slots: {
    readonly old: Slot<T> | undefined;
    readonly mine: Slot<T> | undefined;
    readonly other: Slot<T> | undefined;
  },
  sink: ObjectSink,
): { readonly slot: Slot<T>; readonly losses: readonly LostValue[] } {
  const { old, mine = [], other = [] } = slots;
  const [before, left, right] = [blobsOf(old ?? []), blobsOf(mine), blobsOf(other)];
  if (right === '' || left === right || isHeldBack(kind, mine, other)) return { slot: mine, losses: [] };
  if (left === '') return { slot: other, losses: [] };
  // A change of one side alone is taken, unless it damaged the note.
  if (before === right)
    return isDamaged(mine) && !isDamaged(other) ? { slot: other, losses: [] } : admitSlot(kind, old, mine, sink);
  if (before === left)
    return isDamaged(other) && !isDamaged(mine) ? { slot: mine, losses: [] } : admitSlot(kind, old, other, sink);
  const [ours, theirs, base] = [usable(mine), usable(other), usable(old ?? [])];
  if (ours !== null && theirs !== null) {
    const { note, lost } = mergeNote(kind, { base, ours, theirs }, sink);
    return { slot: [{ path: notePath(note.key), note }], losses: lost };
  }
  const [slot, loser] = preferSlot(mine, other) ? [mine, other] : [other, mine];
  return { slot, losses: [{ what: 'note', kept: blobsOf(slot), lost: blobsOf(loser) }] };
}

/**
 * A note of a newer version that would take the place of one that can be read, or of what this clone is to say of a
 * commit: it stays where it came from.
 */
function isHeldBack<T>({ kind }: NoteMergeRules<T>, mine: Slot<T>, other: Slot<T>): boolean {
  if (!other.some(({ note }) => note.isNewer)) return false;
  return mine.length === 0 ? kind.anchor === null : usable(mine) !== null;
}

/** Takes a change of one side alone, as far as a legal step can have made it. */
function admitSlot<T>(
  kind: NoteMergeRules<T>,
  old: Slot<T> = [],
  next: Slot<T>,
  sink: ObjectSink,
): { readonly slot: Slot<T>; readonly losses: readonly LostValue[] } {
  const [before, after] = [usable(old), usable(next)];
  if (before === null || after === null) return { slot: next, losses: [] };
  const { note, lost } = admitOneSidedVersion(kind, before, after, sink);
  return note === after ? { slot: next, losses: [] } : { slot: [{ path: notePath(note.key), note }], losses: lost };
}

/** A note of a newer version is none that this one could judge. */
function isDamaged<T>(slot: Slot<T>): boolean {
  return usable(slot) === null && !slot.some(({ note }) => note.isNewer);
}

/** The note of a slot if it's the only one and can be read. */
function usable<T>(slot: Slot<T>): StoredNote<T> | null {
  const [place] = slot;
  return slot.length === 1 && place !== undefined && place.note.value !== null ? place.note : null;
}

/** A newer version's note first, then one that can be read, then a single one; at last the smaller id. */
function preferSlot<T>(a: Slot<T>, b: Slot<T>): boolean {
  const rank = (slot: Slot<T>): number =>
    slot.some(({ note }) => note.isNewer) ? 0 : usable(slot) !== null ? 1 : slot.length === 1 ? 2 : 3;
  return (rank(a) - rank(b) || compareText(blobsOf(a), blobsOf(b))) < 0;
}

function blobsOf<T>(slot: Slot<T>): string {
  return slot
    .map(({ note }) => note.blob)
    .sort()
    .join(' ');
}

/** Places the notes: a single one where this program writes it, even if a side divided its tree differently. */
function placeSlot<T>(key: ObjectId, now: Slot<T> | undefined, next: Slot<T>): TreeEdit<StoredNote<T>>[] {
  const places = next.map(({ path, note }) => ({ path: next.length === 1 ? notePath(key) : path, note }));
  const wanted = new Map(places.map((place) => [place.path.join('/'), place]));
  const kept = new Map((now ?? []).map((place) => [place.path.join('/'), place]));
  const removed = [...kept].filter(([path]) => !wanted.has(path));
  const added = [...wanted].filter(([path, { note }]) => kept.get(path)?.note.blob !== note.blob);
  return [
    ...removed.map(([, { path }]) => ({ path, entry: null })),
    ...added.map(([, { path, note }]) => ({
      path,
      entry: { mode: noteFileMode, oid: note.blob, tree: null, note },
    })),
  ];
}

function mergeEntries<T>(
  base: Entry<T> | undefined,
  ours: Entry<T> | undefined,
  theirs: Entry<T> | undefined,
): Entry<T> | undefined {
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  const name = (entry: Entry<T> | undefined): string => `${entry?.oid} ${entry?.mode}`;
  if (name(ours) === name(theirs) || name(base) === name(theirs)) return ours;
  if (name(base) === name(ours)) return theirs;
  return name(ours) < name(theirs) ? ours : theirs;
}
