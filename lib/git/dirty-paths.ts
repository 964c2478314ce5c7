import { type GitContext, gitEnvironment } from './run-git.ts';

/** Paths `git status` reports in the person's work tree: changed, staged and untracked, not ignored; both ends of a rename. */
export async function readDirtyPaths(context: GitContext): Promise<readonly string[]> {
  const { simpleGit } = await import('simple-git');
  const git = simpleGit({
    baseDir: context.cwd,
    // It refuses these settings whatever their value; here they switch programs off, or are the person's own.
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
  const status = await git.status(['--untracked-files=all']);
  const paths = status.files.flatMap(({ path, from }) =>
    from === undefined || from === '' ? [path] : [from, path],
  );
  return [...new Set(paths)].sort();
}
