import { join } from 'node:path';
import { type GitContext, runGit } from '../../git/process/run-git.ts';
import { agentSettings } from '../../policy/protected-places.ts';
import { isBelow, realPath } from '../../util/path-places.ts';
import { isThere } from './tool-paths.ts';

/**
 * Finds the settings for agent CLIs that a work tree brings, by their real paths. Some CLIs load plugins from there
 * under any options, so an agent's cell shows all of it empty.
 */
export function findRepositorySettings(root: string): readonly string[] {
  return below(
    root,
    agentSettings.map((name) => join(root, name)),
  );
}

/** The files of these names in every folder of a git work tree, by their real paths. */
export async function findNamed(
  { cwd, env }: GitContext,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const globs = names.map((name) => `:(glob)**/${name}`);
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...globs];
  const { stdout } = await runGit({ cwd, env }, listed);
  const paths = stdout.toString().split('\0').filter(Boolean);
  return below(
    cwd,
    paths.map((path) => join(cwd, path)),
  );
}

function below(root: string, paths: readonly string[]): readonly string[] {
  const found = paths.filter(isThere).map(realPath);
  return [...new Set(found)].filter((path) => path !== root && isBelow(path, root));
}
