import { joinNames, splitNames } from '../../util/file-names.ts';
import { type GitContext, runGit } from './run-git.ts';

/** Reads one attribute of gitattributes(5) for each path, in order: a value, `set`, `unset` or `unspecified`. */
export async function readAttribute(
  git: GitContext,
  attribute: string,
  { paths, options = [] }: { readonly paths: readonly string[]; readonly options?: readonly string[] },
): Promise<readonly string[]> {
  const args = ['check-attr', ...options, '-z', '--stdin', attribute];
  const { stdout } = await runGit(git, args, { input: joinNames(paths) });
  // Path, name of the attribute and value, each with a NUL.
  const words = splitNames(stdout);
  return paths.map((_, index) => words[index * 3 + 2] ?? '');
}
