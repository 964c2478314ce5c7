import type { CellPaths } from '../domain/ports/adapter.ts';

/** Returns the variables that every agent CLI has. */
export function cellEnvironment(paths: CellPaths): Record<string, string> {
  return {
    PATH: paths.searchPath,
    HOME: paths.home,
    TMPDIR: paths.tmp,
    LANG: 'C.UTF-8',
    // Some take zsh where there is one; the policy judges bash.
    SHELL: paths.shell,
  };
}
