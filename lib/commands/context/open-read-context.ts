import type { GitPort } from '../../domain/ports/git-port.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { openGit } from '../../git/open-git.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { gitContextOf, type NotesReadContext, withStore } from './open-notes-context.ts';

/** The parts for a read-only command. */
export interface ReadContext extends NotesReadContext {
  readonly git: GitPort;
}

/** Opens the repository and its state for the time of `work`; everything is closed afterwards. */
export function withRepositoryState(
  args: CommandArgs,
  io: Io,
  work: (reading: ReadContext) => Promise<number>,
): Promise<number> {
  return withStore(args, io, async (looking) => {
    const { repository, idents, catFile } = looking;
    const context = gitContextOf(io);
    const git = await openGit(context, undefined, {
      repository,
      idents,
      catFile,
      signal: io.signal,
      hurry: io.hurry,
    });
    try {
      return await work({ ...looking, git });
    } finally {
      await git.close();
    }
  });
}

/** git as the person would call it here: where remotes with relative paths are found. */
export function findGitContextHere({ repository }: Pick<GitPort, 'repository'>, io: Io): GitContext {
  const { gitDir, workTree } = repository;
  return {
    cwd: workTree ?? gitDir,
    env: io.env,
    variables: { GIT_DIR: gitDir, ...(workTree === null ? {} : { GIT_WORK_TREE: workTree }) },
  };
}
