import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RefName } from '../../domain/ids.ts';
import { gitsAt } from '../../git/refs/gits-at.ts';
import { reftableLock } from '../../git/refs/ref-files.ts';
import type { Repair, RepairContext } from './repair.ts';

// No git holds a ref this long.
const oldMs = 60_000;

/** Lock files on state refs, or on the table of all refs; oldest first. */
export function listRefLocks(
  commonDir: string,
): readonly { readonly path: string; readonly ageMs: number }[] {
  const shared = reftableLock(commonDir);
  return [...locksBelow(join(commonDir, 'refs', 'blueflame')), ...(shared === null ? [] : [shared])]
    .flatMap((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ path, ageMs: Date.now() - stat.mtimeMs }];
    })
    .sort((a, b) => b.ageMs - a.ageMs);
}

function locksBelow(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.lock'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Removes locks that are older than a minute, where no git is at work that could hold them. */
export function removeDeadLocks({ commonDir, isDry }: RepairContext): readonly Repair[] {
  return listRefLocks(commonDir).map(({ path, ageMs }): Repair => {
    const ref = path.slice(commonDir.length + 1, -'.lock'.length) as RefName;
    const reason = reasonToKeep(commonDir, ageMs);
    const hints = [`If no git process is running here any more, remove the file: rm '${path}'`];
    if (reason !== null) return { ref, isDone: false, message: `${path} stays: ${reason}.`, hints };
    if (!isDry) rmSync(path, { force: true });
    const message = `${path}, ${Math.round(ageMs / oldMs)} minutes old, was left by a git that is gone, and was removed.`;
    return { ref, isDone: true, message, hints: [] };
  });
}

function reasonToKeep(commonDir: string, ageMs: number): string | null {
  if (ageMs < oldMs) return 'it is younger than a minute';
  if (!existsSync('/proc/self/comm')) return 'this system does not show whether a git is at work';
  const gits = gitsAt([commonDir, join(commonDir, '..')]);
  return gits.length > 0 ? `git is at work here (pid ${gits.join(', ')})` : null;
}
