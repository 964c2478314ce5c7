import { basename, join } from 'node:path';
import { entriesOf } from '../../git/cells/look-over.ts';
import { isBlockedBy } from '../../policy/judge-path.ts';
import { locksConflict } from '../../util/path-globs.ts';
import { realPath } from '../../util/path-places.ts';

const mostLooked = 1_000_000;
const foldersAtOnce = 64;

/**
 * Files and folders among dependencies that `blocked` names, by where they really are. `folder` is its path in the
 * repository. null: there are too many to look at, or more than `most`.
 */
export async function listPrivateIn(
  folder: string,
  {
    root,
    blocked,
    most,
  }: { readonly root: string; readonly blocked: readonly string[]; readonly most: number },
): Promise<readonly string[] | null> {
  const isBlocked = blockedBelow(folder, blocked);
  const real = realPath(join(root, folder));
  const found: string[] = [];
  let count = 0;
  for (const waiting = ['']; waiting.length > 0; ) {
    const batch = await Promise.all(
      waiting.splice(0, foldersAtOnce).map(async (at) => ({ at, entries: await entriesOf(join(real, at)) })),
    );
    for (const { at, entries } of batch) {
      count += entries.length;
      if (count > mostLooked) return null;
      for (const entry of entries) {
        const path = join(at, entry.name);
        // The target of a link is shown or hidden on its own account.
        if (entry.isSymbolicLink()) continue;
        if (isBlocked(join(folder, path))) found.push(join(real, path));
        else if (entry.isDirectory()) waiting.push(path);
      }
      if (found.length > most) return null;
    }
  }
  return found;
}

/** Whether one of the globs names a path, whose folders none of them names. Packages have many files of few names. */
function blockedBelow(folder: string, blocked: readonly string[]): (path: string) => boolean {
  const globs = blocked.filter((glob) => locksConflict(widened(glob), `${folder}/**`));
  const byName = globs.filter((glob) => /^\*\*\/[^/]+$/.test(glob));
  const byPath = globs.filter((glob) => !byName.includes(glob));
  const names = new Map<string, boolean>();
  return (path) => {
    const name = basename(path);
    const known = names.get(name) ?? byName.some((glob) => isBlockedBy(glob, name));
    names.set(name, known);
    return known || byPath.some((glob) => isBlockedBy(glob, path));
  };
}

/** With a star for each name that may be read two ways. */
function widened(glob: string): string {
  return glob.replace(/[^/]*[[(][^/]*/g, '*');
}
