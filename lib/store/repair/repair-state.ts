import { FlameError } from '../../domain/flame-error.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { allKinds, type NoteKind } from '../notes/note-kinds.ts';
import { readSideRef } from '../notes/side-ref.ts';
import type { StoreOptions } from '../store-options.ts';
import { RefPublisher } from '../write/ref-publisher.ts';
import type { Repair, RepairContext } from './repair.ts';
import { removeDeadLocks } from './repair-locks.ts';
import { repairNotes } from './repair-notes.ts';
import { repairRef } from './repair-ref.ts';

/**
 * Repairs what is wrong with the state refs as far as nothing is lost by it: locks of dead gits go, refs that hold
 * something else go back to where they last were sound, notes that can't be read to their last version that can.
 * What a ref held is kept on refs/blueflame-backup/*, what a note held in its history.
 */
export async function repairState(
  options: StoreOptions & { readonly isDry: boolean },
): Promise<readonly Repair[]> {
  const catFile = new CatFile(options.context, options.commonDir);
  const publisher = new RefPublisher({ ...options, reason: 'git flame doctor --repair' });
  const context: RepairContext = { ...options, catFile, publisher };
  try {
    const repairs = [...removeDeadLocks(context)];
    for (const kind of allKinds) repairs.push(...(await repairKind<unknown>(context, kind)));
    return repairs;
  } finally {
    await publisher.close();
    await catFile.close();
  }
}

async function repairKind<T>(context: RepairContext, kind: NoteKind<T>): Promise<readonly Repair[]> {
  const first = await reading(context, kind);
  if (first === null) return repairNotes(context, kind);
  const repair = await repairRef(context, kind, first);
  if (!repair.isDone || context.isDry) return [repair];
  return [repair, ...(await repairNotes(context, kind))];
}

/** null: the ref holds notes. */
async function reading<T>(context: RepairContext, kind: NoteKind<T>): Promise<FlameError | null> {
  try {
    await readSideRef(context, kind);
    return null;
  } catch (error) {
    if (error instanceof FlameError && error.code === 'state-corrupt') return error;
    throw error;
  }
}
