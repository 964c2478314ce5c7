import type { CommandArgs } from '../domain/command-args.ts';
import type { Io } from '../domain/io.ts';
import { withStart } from './wiring/find-plan.ts';
import { goOn } from './wiring/go-on.ts';
import { withWorkshop } from './wiring/open-workshop.ts';
import { previewPlan } from './wiring/preview.ts';

/** `git flame run`: the whole loop, from the objective to what landed; goes on where it stopped. */
export function run(args: CommandArgs<'run'>, io: Io): Promise<number> {
  return withWorkshop(args, io, async (opened) => {
    if (args.globals.dryRun) return previewPlan(opened, args, io);
    return withStart(opened, args, io, ({ session, plan }) =>
      goOn(opened, io, { session, plan, pr: args.options.pr }),
    );
  });
}
