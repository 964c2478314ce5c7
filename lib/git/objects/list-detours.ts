import type { ObjectId } from '../../domain/ids.ts';
import type { Detours } from '../../domain/ports/git-contents.ts';
import { splitNames } from '../../util/file-names.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

const kinds: Readonly<Record<string, 'symbolic link' | 'submodule'>> = {
  '120000': 'symbolic link',
  '160000': 'submodule',
};

/** See GitFiles.detours. Submodules are those of the tree, whether or not .gitmodules lists them. */
export async function listDetours(context: GitContext, commit: ObjectId): Promise<Detours> {
  const { stdout } = await runGit(context, ['ls-tree', '-r', '-z', '--full-tree', commit]);
  const found = new Map<string, 'symbolic link' | 'submodule'>();
  for (const row of splitNames(stdout)) {
    const kind = kinds[row.slice(0, 6)];
    if (kind !== undefined) found.set(row.slice(row.indexOf('\t') + 1), kind);
  }
  return found;
}

/** Where submodules are among them. */
export function submodulesOf(detours: Detours): readonly string[] {
  return [...detours].filter(([, kind]) => kind === 'submodule').map(([path]) => path);
}
