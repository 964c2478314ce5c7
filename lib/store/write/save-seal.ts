import type { SessionId } from '../../domain/ids.ts';
import type { Seal, SignatureNote } from '../../domain/state/signatures.ts';
import { signatureAnchor, signatureNotes } from '../notes/note-kinds.ts';
import type { StoreOptions } from '../store-options.ts';
import { anchored } from './apply-change.ts';
import { writeSideNotes } from './side-notes.ts';

/** Puts what a clone signed of a session in place of what it signed before, by compare-and-swap. */
export async function saveSeal(options: StoreOptions, session: SessionId, seal: Seal): Promise<void> {
  const place = { kind: signatureNotes, reason: 'git flame sync' };
  await writeSideNotes(options, place, () => ({
    actor: seal.by,
    change: { subject: `${session}: signed by ${seal.by}`, about: session },
    writes: [
      {
        ...anchored(options.objectFormat, signatureAnchor(session)),
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
