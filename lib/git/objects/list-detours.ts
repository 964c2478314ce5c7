import type { ObjectId } from '../../domain/ids.ts';
import type { Detours } from '../../domain/ports/git-contents.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

const kinds: Readonly<Record<string, 'symbolic link' | 'submodule'>> = {
  '120000': 'symbolic link',
  '160000': 'submodule',
};

/** See GitFiles.detours. */
export async function listDetours(context: GitContext, commit: ObjectId): Promise<Detours> {
  const { stdout } = await runGit(context, ['ls-tree', '-r', '-z', '--full-tree', commit]);
  const lines = stdout
    .toString()
    .split('\0')
    .filter((line) => /^1[26]0000 /.test(line));
  const found = new Map<string, 'symbolic link' | 'submodule'>();
  for (const line of lines) {
    const kind = kinds[line.slice(0, 6)];
    if (kind !== undefined) found.set(line.slice(line.indexOf('\t') + 1), kind);
  }
  return found;
}
