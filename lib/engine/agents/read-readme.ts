import type { ObjectId } from '../../domain/ids.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { WithGit } from '../workshop.ts';

/** What a project says of itself to who plans for it; '' where it says nothing. */
export async function readReadme(
  { git }: WithGit<Pick<GitFiles, 'readTexts'>>,
  commit: ObjectId,
): Promise<string> {
  return (await git.readTexts(commit, ['README.md'])).get('README.md') ?? '';
}
