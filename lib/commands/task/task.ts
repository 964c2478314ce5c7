import type { CommandArgs, Io } from '../../domain/view-models/command.ts';

/** `git flame task add|edit|next|claim|submit|release|drop|choose|show`: the queue, by hand. */
export async function run(args: CommandArgs<'task'>, io: Io): Promise<number> {
  switch (args.subcommand) {
    case 'add':
      return (await import('./add.ts')).addByHand(args, io);
    case 'edit':
      return (await import('./edit.ts')).editByHand(args, io);
    case 'next':
      return (await import('./claim.ts')).showNext(args, io);
    case 'claim':
      if (args.options.stdin || args.positionals[0] === '-')
        return (await import('./claim-many.ts')).claimMany(args, io);
      return (await import('./claim.ts')).claimOne(args, io);
    case 'submit':
      return (await import('./release.ts')).submitOne(args, io);
    case 'release':
      return (await import('./release.ts')).releaseOne(args, io);
    case 'drop':
      return (await import('./release.ts')).dropOne(args, io);
    case 'choose':
      return (await import('./claim.ts')).chooseOne(args, io);
    default:
      return (await import('./show.ts')).showOne(args, io);
  }
}
