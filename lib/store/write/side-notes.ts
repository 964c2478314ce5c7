import type { SessionId } from '../../domain/ids.ts';
import type { Seal, SignatureNote } from '../../domain/state/signatures.ts';
import { makeObject, type NewObject } from '../../git/objects/make-object.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { type NoteKind, signatureAnchor, signatureNotes } from '../notes/note-kinds.ts';
import { listNotes } from '../notes/note-tree.ts';
import type { RefState } from '../notes/state.ts';
import { readSideRef } from '../notes/state-reader.ts';
import type { StoreOptions } from '../store-options.ts';
import { keyAndAnchor, type Write, writeNotes } from './apply-change.ts';
import { type OtherEntry, readCommitIdentity } from './note-commit.ts';
import { type Publication, RefPublisher } from './ref-publisher.ts';

/** Change of a ref of its own, as one commit. */
export interface SideChange<T> {
  readonly writes: readonly Write<T>[];
  readonly change: OtherEntry;
  readonly actor: string;
}

/** The notes of a ref that is no part of the state each command reads; those that can't be read are left out. */
export function readSideNotes<T>(options: StoreOptions, kind: NoteKind<T>): Promise<readonly T[]> {
  return withCatFile(options, async (catFile) => {
    const { root } = await readSideRef({ ...options, catFile }, kind);
    return [...listNotes(root)].flatMap(({ value }) => value ?? []);
  });
}

/**
 * Changes such a ref by compare-and-swap: on a lost race `decide` is asked again; null: nothing must be
 * written.
 */
export function writeSideNotes<T extends { readonly rev: number }>(
  options: StoreOptions,
  { kind, reason }: { readonly kind: NoteKind<T>; readonly reason: string },
  decide: (state: RefState<T>) => SideChange<T> | null,
): Promise<boolean> {
  return withCatFile(options, async (catFile) => {
    const publisher = new RefPublisher({ ...options, reason });
    try {
      return await publisher.publish(async () => {
        const state = await readSideRef({ ...options, catFile }, kind);
        const decided = decide(state);
        return decided === null ? null : prepare(state, decided, options);
      });
    } finally {
      await publisher.close();
    }
  });
}

async function withCatFile<T>(options: StoreOptions, work: (catFile: CatFile) => Promise<T>): Promise<T> {
  const catFile = options.catFile ?? new CatFile(options.context, options.commonDir);
  try {
    return await work(catFile);
  } finally {
    if (catFile !== options.catFile) await catFile.close();
  }
}

async function prepare<T extends { readonly rev: number }>(
  state: RefState<T>,
  { writes, change, actor }: SideChange<T>,
  options: StoreOptions,
): Promise<Publication> {
  const { objectFormat, hostname, now = () => new Date() } = options;
  const objects = new Map<string, NewObject>();
  const next = writeNotes(state, writes, change, {
    actor,
    host: hostname ?? null,
    now: now(),
    objectFormat,
    identity: await readCommitIdentity(options),
    sink: (type, content) => {
      const object = makeObject(objectFormat, type, content);
      objects.set(object.oid, object);
      return object;
    },
  });
  const commands = next.tip === null ? [] : [{ ref: state.kind.ref, old: state.tip, new: next.tip }];
  return { objects: [...objects.values()], commands };
}

/** Puts what a clone signed of a session in place of what it signed before, by compare-and-swap. */
export async function saveSeal(options: StoreOptions, session: SessionId, seal: Seal): Promise<void> {
  const place = { kind: signatureNotes, reason: 'git flame sync' };
  await writeSideNotes(options, place, () => ({
    actor: seal.by,
    change: { subject: `${session}: signed by ${seal.by}`, about: session },
    writes: [
      {
        ...keyAndAnchor(options.objectFormat, signatureAnchor(session)),
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
