import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { withRepositoryState } from '../context/open-read-context.ts';
import { run } from '../show/show.ts';
import { pickTask } from './pick-task.ts';

/** `git flame task show [ID]`: like `git flame show`, of the task of this worktree where none is named. */
export async function runTaskShow(args: CommandArgs<'task'>, io: Io): Promise<number> {
  let found = { id: '', session: '' };
  await withRepositoryState(args, io, async ({ git, store, selected }) => {
    const { repository } = git;
    const branch = repository.workTree === null ? null : (await git.head(repository.workTree)).branch;
    const person = await git.identity();
    found = pickTask(args, { snapshot: await store.snapshot(), repository, branch, person, selected });
    return 0;
  });
  const globals = { ...args.globals, session: found.session };
  return run(
    {
      ...args,
      command: 'show',
      options: { diff: false, interdiff: false, graph: false },
      positionals: [found.id],
      globals,
    },
    io,
  );
}
