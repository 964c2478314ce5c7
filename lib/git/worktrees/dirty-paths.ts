import { gitEnvironment } from '../process/git-environment.ts';
import type { GitContext } from '../process/run-git.ts';

/** Paths `git status` reports in the person's work tree: changed, staged and untracked, not ignored. */
export function readDirtyPaths(context: GitContext): Promise<readonly string[]> {
  return readStatus(context, '--untracked-files=all');
}

/** The same without untracked files. */
export function readChangedTracked(context: GitContext): Promise<readonly string[]> {
  return readStatus(context, '--untracked-files=no');
}

// simple-git refuses to run with these set, and status needs none of them.
const namesProgram = /(?:EDITOR|PAGER|ASKPASS|PROXY_COMMAND|TEMPLATE_DIR|EXTERNAL_DIFF)$|^GIT_SSH/;

/** Sorted; a rename counts with both its ends. */
async function readStatus(context: GitContext, untracked: string): Promise<readonly string[]> {
  const { simpleGit } = await import('simple-git');
  const all = { ...gitEnvironment(context.env), ...context.variables };
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => !namesProgram.test(name)));
  const git = simpleGit({
    baseDir: context.cwd,
    // It refuses these whatever their value; here they are the person's own, or switch a program off.
    unsafe: {
      allowUnsafeConfigPaths: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeExec: true,
      allowUnsafeFilter: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeMergeDriver: true,
    },
    allowEnvironment: Object.keys(env),
    config: ['core.fsmonitor=false'],
  }).env(env);
  const { files } = await git.status([untracked]);
  const paths = files.flatMap(({ path, from }) =>
    from === undefined || from === '' ? [path] : [from, path],
  );
  return [...new Set(paths)].sort();
}
