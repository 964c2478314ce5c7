import { joinNames, splitNames } from '../../util/file-names.ts';
import { type GitAccess, inWorkTree } from '../objects/git-access.ts';
import { runGit } from '../process/run-git.ts';

/** See GitFiles.ignoredPaths. A rule is named as `git check-ignore -v` names it: file, line and pattern. */
export async function listIgnored(
  access: GitAccess,
  paths: readonly string[],
): Promise<readonly { readonly path: string; readonly rule: string }[]> {
  const { mainWorkTree } = access.repository;
  if (mainWorkTree === null || paths.length === 0) return [];
  const args = ['check-ignore', '-z', '-v', '--stdin'];
  // 1: none is. 128: a path leads out of the work tree, which other rules name.
  const options = { input: joinNames(paths), accept: [0, 1, 128] };
  const { stdout } = await runGit(inWorkTree(access, mainWorkTree), args, options);
  const words = splitNames(stdout);
  return Array.from({ length: Math.floor(words.length / 4) }, (_, row) => {
    const [file = '', line = '', pattern = '', path = ''] = words.slice(row * 4);
    return { path, pattern, rule: `${file}:${line}:${pattern}` };
  }).filter(({ pattern }) => !pattern.startsWith('!'));
}
