import { type GitContext, runGit } from '../process/run-git.ts';

/** Paths of a work tree that git doesn't track, ignored ones too. A folder with nothing else in it ends in `/`. */
export async function listUntracked(context: GitContext): Promise<readonly string[]> {
  const { stdout } = await runGit(context, ['ls-files', '-z', '--others', '--directory']);
  return stdout
    .toString()
    .split('\0')
    .filter((path) => path !== '');
}
