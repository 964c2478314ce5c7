import type { GitPort } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { GitContext } from '../../git/process/run-git.ts';

/** git as the person would call it here: where remotes with relative paths are found. */
export function gitHere({ repository }: Pick<GitPort, 'repository'>, io: Io): GitContext {
  const { gitDir, workTree } = repository;
  return {
    cwd: workTree ?? gitDir,
    env: io.env,
    variables: { GIT_DIR: gitDir, ...(workTree === null ? {} : { GIT_WORK_TREE: workTree }) },
  };
}
