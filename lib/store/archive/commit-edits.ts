import type { Note } from '../notes/note.ts';
import type { TreeEdit } from '../notes/note-tree.ts';
import type { RefState } from '../notes/state.ts';
import { editOrExplain, renderCommit } from '../write/apply-change.ts';
import { type OtherEntry, renderMessage } from '../write/commit-message.ts';
import type { ChangeContext } from '../write/note-write.ts';

/** One ref with entries added and removed as they are, as one new commit; as it was without any. */
export function commitTree<T>(
  state: RefState<T>,
  edits: readonly TreeEdit<Note<T>>[],
  { change, context }: { readonly change: OtherEntry; readonly context: ChangeContext },
): RefState<T> {
  if (edits.length === 0) return state;
  const root = editOrExplain(state, edits, context.sink);
  const message = renderMessage(change, { actor: context.actor, host: context.host, rev: null });
  // The last note may have gone: git misses even an empty tree.
  const tree = root?.oid ?? context.sink('tree', '').oid;
  const tip = context.sink(
    'commit',
    renderCommit(tree, state.tip === null ? [] : [state.tip], message, context),
  ).oid;
  return { ...state, tip, root };
}
