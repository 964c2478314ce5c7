import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { splitNames } from '../../util/file-names.ts';
import { ignoreRules } from './ignore-rules.ts';
import { type GitContext, runGit } from './run-git.ts';

/**
 * Untracked files of a work tree that git ignores and that `.worktreeinclude` at its top names, in the form of
 * .gitignore. Other tools that make worktrees read the same file.
 */
export async function includedFiles(git: GitContext, root: string): Promise<readonly string[]> {
  const file = join(root, '.worktreeinclude');
  if (!existsSync(file)) return [];
  const { stdout } = await runGit(git, ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${file}`]);
  const named = splitNames(stdout);
  if (named.length === 0) return [];
  const ignored = await ignoreRules(git, named);
  return named.filter((path) => ignored.has(path));
}
