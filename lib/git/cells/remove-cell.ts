import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../util/remove-tree.ts';
import { requireGoing } from '../process/limit-git.ts';
import type { ImportOptions } from './import-objects.ts';
import { cellPaths } from './paths.ts';

/** The mark of a cell whose removal has begun; recoverQuarantines finishes it. */
export const removingSuffix = '.removing';

/**
 * Removes a cell's worktree at `path`, its quarantine and its record. The first step renames the record, so
 * a removal that was cut short is known as one. Doing it again is harmless. Throws FlameError `interrupted` where the
 * person stopped the program meanwhile.
 */
export async function removeCell(
  commonDir: string,
  id: string,
  path: string | null,
  { onStep = () => undefined, guard = {} }: ImportOptions = {},
): Promise<void> {
  // Once the person stopped the program: the next start removes it.
  requireGoing(guard);
  const remove = async (folder: string): Promise<void> => {
    await removeTree(folder, guard.stopped).catch((error: unknown) => {
      requireGoing(guard);
      throw error;
    });
  };
  const { root, listing, objectDir } = cellPaths(commonDir, id);
  const leaving = `${root}${removingSuffix}`;
  if (existsSync(root)) {
    // The rest of an earlier removal would be in the way.
    await removeTree(leaving);
    renameSync(root, leaving);
  }
  onStep('record renamed');
  if (path !== null) await remove(path);
  onStep('worktree removed');
  // Away in one step: half a listing would make `git worktree list` complain.
  if (existsSync(listing)) renameSync(listing, join(leaving, 'listing'));
  onStep('listing removed');
  await remove(objectDir);
  onStep('objects removed');
  await remove(leaving);
}
