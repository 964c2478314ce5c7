import type { CommandArgs } from '../domain/command-args.ts';
import type { Io } from '../domain/io.ts';

/** `git flame task add|edit|next|claim|submit|release|drop|show`: the queue, by hand. */
export async function run(args: CommandArgs<'task'>, io: Io): Promise<number> {
  switch (args.subcommand) {
    case 'add':
      return (await import('./task/add.ts')).addByHand(args, io);
    case 'edit':
      return (await import('./task/edit.ts')).editByHand(args, io);
    case 'next':
      return (await import('./task/next.ts')).showNext(args, io);
    case 'claim':
      if (args.options.stdin || args.positionals[0] === '-')
        return (await import('./task/claim-many.ts')).claimMany(args, io);
      return (await import('./task/claim.ts')).claimOne(args, io);
    case 'submit':
      return (await import('./task/submit.ts')).submitOne(args, io);
    case 'release':
      return (await import('./task/release.ts')).releaseOne(args, io);
    case 'drop':
      return (await import('./task/release.ts')).dropOne(args, io);
    default:
      return (await import('./task/show.ts')).showOne(args, io);
  }
}
