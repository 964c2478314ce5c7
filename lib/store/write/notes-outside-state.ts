import type { SessionId } from '../../domain/ids.ts';
import type { SessionSignature, SignatureNote } from '../../domain/state/signatures.ts';
import { withCatFile } from '../../git/process/cat-file.ts';
import type { RefState } from '../notes/indexed-state.ts';
import { type NoteKind, signatureAnchor, signatureNoteKind } from '../notes/note-kinds.ts';
import { listNotes } from '../notes/note-tree.ts';
import { readRefOutsideState } from '../notes/state-reader.ts';
import type { StoreOptions } from '../store-options.ts';
import { type NoteWrite, openChangeContext, pairNoteKeyWithAnchor, writeNotes } from './apply-change.ts';
import type { NonStateAuditEntry } from './audit-entry.ts';
import { publishRefs, type RefPublication } from './ref-publisher.ts';

/** Change of a ref of its own, as one commit. */
export interface NotesChangeOutsideState<T> {
  readonly writes: readonly NoteWrite<T>[];
  readonly change: NonStateAuditEntry;
  readonly actor: string;
}

/** The notes of a ref that is no part of the state each command reads; those that can't be read are left out. */
export function readNotesOutsideState<T>(options: StoreOptions, kind: NoteKind<T>): Promise<readonly T[]> {
  return withCatFile(options, async (catFile) => {
    const { root } = await readRefOutsideState({ ...options, catFile }, kind);
    return [...listNotes(root)].flatMap(({ value }) => value ?? []);
  });
}

/**
 * Changes such a ref by compare-and-swap: on a lost race `decide` is asked again; null: nothing must be
 * written.
 */
export function writeNotesOutsideState<T extends { readonly rev: number }>(
  options: StoreOptions,
  { kind, reason }: { readonly kind: NoteKind<T>; readonly reason: string },
  decide: (state: RefState<T>) => NotesChangeOutsideState<T> | null,
): Promise<boolean> {
  return withCatFile(options, (catFile) =>
    publishRefs({ ...options, reason }, async () => {
      const state = await readRefOutsideState({ ...options, catFile }, kind);
      const decided = decide(state);
      return decided === null ? null : prepare(state, decided, options);
    }),
  );
}

async function prepare<T extends { readonly rev: number }>(
  state: RefState<T>,
  { writes, change, actor }: NotesChangeOutsideState<T>,
  options: StoreOptions,
): Promise<RefPublication> {
  const { changing, objects } = await openChangeContext(options, actor);
  const next = writeNotes(state, writes, change, changing);
  const commands = next.tip === null ? [] : [{ ref: state.kind.ref, old: state.tip, new: next.tip }];
  return { objects: [...objects.values()], commands };
}

/** Puts what a clone signed of a session in place of what it signed before, by compare-and-swap. */
export async function saveSessionSignature(
  options: StoreOptions,
  session: SessionId,
  seal: SessionSignature,
): Promise<void> {
  const place = { kind: signatureNoteKind, reason: 'git flame sync' };
  await writeNotesOutsideState(options, place, () => ({
    actor: seal.by,
    change: { subject: `${session}: signed by ${seal.by}`, about: session },
    writes: [
      {
        ...pairNoteKeyWithAnchor(options.objectFormat, signatureAnchor(session)),
        next: (stored: SignatureNote | null, rev: number) => ({
          v: 1 as const,
          rev,
          session,
          seals: [...(stored?.seals ?? []).filter(({ place: other }) => other !== seal.place), seal],
        }),
      },
    ],
  }));
}
