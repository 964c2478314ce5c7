import type { CommandArgs } from '../domain/shown/command-args.ts';
import type { Io } from '../domain/shown/io.ts';
import { goOn } from './open/go-on.ts';
import { withWorkshop } from './open/open-workshop.ts';
import { withStart } from './plan/find-plan.ts';
import { previewPlan } from './plan/preview.ts';

/** `git flame run`: the whole loop, from the objective to what landed; continues where it stopped. */
export function run(args: CommandArgs<'run'>, io: Io): Promise<number> {
  return withWorkshop(args, io, async (opened) => {
    if (args.globals.dryRun) return previewPlan(opened, args, io);
    return withStart(opened, args, io, ({ session, plan }) =>
      goOn(opened, io, { session, plan, pr: args.options.pr }),
    );
  });
}
