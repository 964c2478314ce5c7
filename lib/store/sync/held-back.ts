import type { StateProblem } from '../../domain/ports/store-port.ts';
import { type LoadContext, loadNotes } from '../notes/load-notes.ts';
import { diffNotes } from '../notes/note-tree.ts';
import type { RefState } from '../notes/state.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';

/** Notes of a newer version that the remote has and the merged states haven't: sending these would take them away. */
export async function heldBack(
  context: LoadContext,
  states: readonly RefState<unknown>[],
  theirs: RemoteRefs,
): Promise<readonly StateProblem[]> {
  const found: StateProblem[] = [];
  for (const { kind, tip, root } of states) {
    const there = theirs.get(kind.ref) ?? null;
    if (there === null || there === tip) continue;
    const { added } = diffNotes(root, await loadNotes(context, kind, there, root));
    for (const { isNewer, blob: object, key, problem } of added)
      if (isNewer && problem !== null) found.push({ ref: kind.ref, object, key, message: problem });
  }
  return found;
}
