import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { type Opened, withWorkshop } from '../open/open-workshop.ts';
import { pickTask } from './pick-task.ts';

/** Opens the workshop of a command by hand. The command prints its own result: no event of a run is emitted. */
export function byHand(
  args: CommandArgs<'task'>,
  io: Io,
  work: (opened: Opened & { readonly workshop: Workshop }) => Promise<number>,
): Promise<number> {
  return withWorkshop(args, io, (opened) =>
    work({ ...opened, workshop: { ...opened.workshop, events: { emit: () => undefined } } }),
  );
}

/** The task a command is about, see pickTask. */
export async function taskMeant(args: CommandArgs<'task'>, opened: Opened): Promise<Task> {
  const { git, store, workshop, meant } = opened;
  const { repository } = git;
  const branch = repository.workTree === null ? null : (await git.head(repository.workTree)).branch;
  const snapshot = await store.snapshot();
  return pickTask(args, { snapshot, repository, branch, person: workshop.gates.person, meant });
}
