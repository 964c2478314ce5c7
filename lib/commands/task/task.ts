import type { CommandArgs, Io } from '../../domain/view-models/command.ts';

/** `git flame task add|edit|next|claim|submit|release|drop|choose|show`: the queue, by hand. */
export async function run(args: CommandArgs<'task'>, io: Io): Promise<number> {
  switch (args.subcommand) {
    case 'add':
      return (await import('./task-add.ts')).runTaskAdd(args, io);
    case 'edit':
      return (await import('./task-edit.ts')).runTaskEdit(args, io);
    case 'next':
      return (await import('./task-claim.ts')).runTaskNext(args, io);
    case 'claim':
      if (args.options.stdin || args.positionals[0] === '-')
        return (await import('./task-claim-from-stdin.ts')).runTaskClaimFromStdin(args, io);
      return (await import('./task-claim.ts')).runTaskClaim(args, io);
    case 'submit':
      return (await import('./task-release.ts')).runTaskSubmit(args, io);
    case 'release':
      return (await import('./task-release.ts')).runTaskRelease(args, io);
    case 'drop':
      return (await import('./task-release.ts')).runTaskDrop(args, io);
    case 'choose':
      return (await import('./task-claim.ts')).runTaskChoose(args, io);
    default:
      return (await import('./task-show.ts')).runTaskShow(args, io);
  }
}
