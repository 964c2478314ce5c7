import type { MergeResult } from '../../domain/ports/git-commits.ts';
import { joinNames, showName, splitNames } from '../../util/file-names.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

/** The merge drivers among the keys of readInertDrivers. */
export function mergeDrivers(inert: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(inert).flatMap(([name, key]) => {
    const [, driver] = (name.startsWith('GIT_CONFIG_KEY_') && /^merge\.(.+)\.driver$/.exec(key)) || [];
    return driver === undefined ? [] : [driver];
  });
}

/** A conflict that also names the files for which `git merge` would have run a driver of the person's configuration. */
export async function withUnrunDrivers(
  context: GitContext,
  inert: Readonly<Record<string, string>>,
  result: MergeResult,
): Promise<MergeResult> {
  const drivers = mergeDrivers(inert);
  if (result.kind === 'clean' || drivers.length === 0) return result;
  const args = ['check-attr', '-z', '--stdin', 'merge'];
  const { stdout } = await runGit(context, args, { input: joinNames(result.paths) });
  const words = splitNames(stdout);
  const unrun = result.paths.flatMap((path, index) => {
    const driver = words[index * 3 + 2] ?? '';
    if (!drivers.includes(driver)) return [];
    return [
      `${showName(path)}: git merge would run your merge driver ${driver}. It does not run on the work of agents.`,
    ];
  });
  return { ...result, messages: [...result.messages, ...unrun] };
}
