import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../util/remove-tree.ts';
import type { StepObserver } from './import-objects.ts';
import { cellPaths } from './paths.ts';

/** The mark of a cell whose removal has begun; recoverQuarantines finishes it. */
export const removingSuffix = '.removing';

/**
 * Removes a cell's worktree at `path`, its quarantine and its record. The first step renames the record, so
 * a removal that was cut short is known as one. Doing it again is harmless.
 */
export async function removeCell(
  commonDir: string,
  id: string,
  path: string | null,
  onStep: StepObserver = () => undefined,
): Promise<void> {
  const { root, listing, objectDir } = cellPaths(commonDir, id);
  const leaving = `${root}${removingSuffix}`;
  if (existsSync(root)) {
    // What an earlier removal left would be in the way.
    await removeTree(leaving);
    renameSync(root, leaving);
  }
  onStep('record renamed');
  if (path !== null) await removeTree(path);
  onStep('worktree removed');
  // Away in one step: half a listing would make `git worktree list` complain.
  if (existsSync(listing)) renameSync(listing, join(leaving, 'listing'));
  onStep('listing removed');
  await removeTree(objectDir);
  onStep('objects removed');
  await removeTree(leaving);
}
