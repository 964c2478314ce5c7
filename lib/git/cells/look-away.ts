import { relative } from 'node:path';
import { withVariables } from '../objects/git-access.ts';
import { inertDrivers } from '../process/inert-drivers.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { readSettings } from '../process/settings.ts';

/**
 * Marks paths (absolute, below the worktree) that its cell shows empty as skip-worktree: for the agent's git they are
 * as they were committed. Untracked paths are left out.
 */
export async function lookAway(context: GitContext, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const names = paths.map((path) => relative(context.cwd, path));
  const { stdout } = await runGit(context, ['--literal-pathspecs', 'ls-files', '-z', '--', ...names]);
  if (stdout.length === 0) return;
  // Written again, the index compares files that are as young as it is, through the filters that attributes name.
  const inert = withVariables(context, inertDrivers(await readSettings(context)));
  await runGit(inert, ['update-index', '-z', '--skip-worktree', '--stdin'], { input: stdout });
}
