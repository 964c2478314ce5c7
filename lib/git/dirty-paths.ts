import { type GitContext, gitEnvironment } from './run-git.ts';

/** Paths `git status` reports in the person's work tree: changed, staged and untracked, not ignored. */
export function readDirtyPaths(context: GitContext): Promise<readonly string[]> {
  return readStatus(context, '--untracked-files=all');
}

/** The same without untracked files. */
export function readChangedTracked(context: GitContext): Promise<readonly string[]> {
  return readStatus(context, '--untracked-files=no');
}

/** Sorted; a rename counts with both its ends. */
async function readStatus(context: GitContext, untracked: string): Promise<readonly string[]> {
  const { simpleGit } = await import('simple-git');
  const git = simpleGit({
    baseDir: context.cwd,
    // It refuses these whatever their value; here they are the person's own, or switch a program off.
    unsafe: {
      allowUnsafeAskPass: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeDiffExternal: true,
      allowUnsafeEditor: true,
      allowUnsafeFsMonitor: true,
      allowUnsafePager: true,
      allowUnsafeSshCommand: true,
      allowUnsafeTemplateDir: true,
    },
    config: ['core.fsmonitor=false'],
  }).env({ ...gitEnvironment(context.env), ...context.variables });
  const { files } = await git.status([untracked]);
  const paths = files.flatMap(({ path, from }) =>
    from === undefined || from === '' ? [path] : [from, path],
  );
  return [...new Set(paths)].sort();
}
