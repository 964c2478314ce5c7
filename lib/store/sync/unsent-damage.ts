import type { RefName } from '../../domain/ids.ts';
import type { StateProblem } from '../../domain/ports/store-port.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { listRefs } from '../notes/list-refs.ts';
import type { NoteKind } from '../notes/note-kinds.ts';
import { readSideRef } from '../notes/side-ref.ts';
import { freshDamage } from './damage.ts';
import { mergeKinds } from './merge-note.ts';
import type { SyncOptions } from './options.ts';
import { trackingRef } from './remote.ts';

/**
 * Finds notes of the state here that can't be read and that the remote hadn't like that at the last sync; the remote is
 * not asked. Throws FlameError `state-corrupt` where a ref can't be read at all.
 */
export async function unsentDamage({
  context,
  commonDir,
  objectFormat,
  remote,
}: SyncOptions): Promise<readonly StateProblem[]> {
  const catFile = new CatFile(context, commonDir);
  try {
    const loading = { catFile, objectFormat, commonDir };
    const kinds: readonly NoteKind<unknown>[] = Object.values(mergeKinds).map(({ kind }) => kind);
    const states = await Promise.all(kinds.map((kind) => readSideRef(loading, kind)));
    const tracked = await listRefs(context, trackingRef(remote, 'refs/blueflame/'));
    const theirs = new Map(
      states.flatMap(({ kind: { ref } }) => {
        const tip = tracked.get(trackingRef(remote, ref) as RefName);
        return tip === undefined ? [] : [[ref, tip] as const];
      }),
    );
    return await freshDamage(loading, states, theirs);
  } finally {
    await catFile.close();
  }
}
