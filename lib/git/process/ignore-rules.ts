import { joinFileNames, splitFileNames } from '../../util/file-names.ts';
import { type GitContext, runGit } from './run-git.ts';

/**
 * Of paths where git tracks nothing, those that it ignores, each with the rule and where it stands: `.gitignore:3 (dist/)`.
 * None of them where a path leads out of the work tree.
 */
export async function findIgnoreRules(git: GitContext, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = [...(await readIgnoreRules(git, paths))];
  return new Map(found.map(([path, { file, line, pattern }]) => [path, `${file}:${line} (${pattern})`]));
}

/** Finds the same rules in their parts; a file below the work tree is named from its root. */
export async function readIgnoreRules(
  git: GitContext,
  paths: readonly string[],
): Promise<ReadonlyMap<string, { readonly file: string; readonly line: string; readonly pattern: string }>> {
  const { stdout } = await runGit(git, ['check-ignore', '-v', '-z', '--stdin'], {
    input: joinFileNames(paths),
    accept: [0, 1, 128],
    env: { GIT_LITERAL_PATHSPECS: '0' },
  });
  const words = splitFileNames(stdout);
  const rules = new Map<string, { file: string; line: string; pattern: string }>();
  for (let at = 0; at + 3 < words.length; at += 4) {
    const [file = '', line = '', pattern = '', path = ''] = words.slice(at, at + 4);
    if (!pattern.startsWith('!')) rules.set(path, { file, line, pattern });
  }
  return rules;
}

/** Reads one attribute of gitattributes(5) for each path, in order: a value, `set`, `unset` or `unspecified`. */
export async function readGitAttribute(
  git: GitContext,
  attribute: string,
  { paths, options = [] }: { readonly paths: readonly string[]; readonly options?: readonly string[] },
): Promise<readonly string[]> {
  const args = ['check-attr', ...options, '-z', '--stdin', attribute];
  const { stdout } = await runGit(git, args, { input: joinFileNames(paths) });
  // Path, name of the attribute and value, each with a NUL.
  const words = splitFileNames(stdout);
  return paths.map((_, index) => words[index * 3 + 2] ?? '');
}
