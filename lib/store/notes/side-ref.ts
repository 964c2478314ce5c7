import { type LoadContext, loadNotes } from './load-notes.ts';
import type { NoteKind } from './note-kinds.ts';
import { readTips } from './read-tips.ts';
import type { RefState } from './state.ts';

/** A ref of notes that is read only when asked for: it's no part of the state each command reads. */
export async function readSideRef<T>(
  context: LoadContext & { readonly commonDir: string },
  kind: NoteKind<T>,
): Promise<RefState<T>> {
  const tips = await readTips(context.catFile, context.commonDir, [kind.ref]);
  const tip = tips.get(kind.ref) ?? null;
  const root = tip === null ? null : await loadNotes(context, kind, tip, null);
  return { kind, tip, root };
}
