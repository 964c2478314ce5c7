import { join } from 'node:path';
import type { NewObject, ObjectFormat } from '../../git/objects/make-object.ts';
import { makePack } from '../../git/objects/make-pack.ts';
import { type ObjectSettings, placeObjectFile } from '../../git/objects/object-file.ts';

/**
 * Adds many objects as one pack: to make a file of each takes most of a transaction's time, on a disk where much was
 * removed lately the more. git sees a pack by its index, which comes last.
 */
export async function writePack(
  objectsDir: string,
  objects: readonly NewObject[],
  { objectFormat, settings }: { readonly objectFormat: ObjectFormat; readonly settings: ObjectSettings },
): Promise<void> {
  const { name, pack, index } = await makePack(objectFormat, objects, settings.level);
  const as = { isSynced: settings.isPackSynced, sharedBits: settings.sharedBits };
  placeObjectFile(join(objectsDir, 'pack', `${name}.pack`), pack, as);
  placeObjectFile(join(objectsDir, 'pack', `${name}.idx`), index, as);
}
