import type { MergeResult } from '../../domain/ports/git-commits.ts';
import { showName } from '../../util/file-names.ts';
import { readAttribute } from '../process/read-attribute.ts';
import type { GitContext } from '../process/run-git.ts';

/** The merge drivers among the keys of inertDrivers. */
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
  const values = await readAttribute(context, 'merge', { paths: result.paths });
  const unrun = result.paths.flatMap((path, index) => {
    const driver = values[index] ?? '';
    if (!drivers.includes(driver)) return [];
    return [
      `${showName(path)}: git merge would run your merge driver ${driver}. It does not run on the work of agents.`,
    ];
  });
  return { ...result, messages: [...result.messages, ...unrun] };
}
