import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { runMergeWave } from '../engine/merge/merge-wave.ts';
import { runWave } from './run-loop/run-wave.ts';

/** `git flame merge`: builds the changesets; nothing lands. 1 when a task conflicts. */
export function run(args: CommandArgs<'merge'>, io: Io): Promise<number> {
  return runWave(args, io, {
    actions: ['merge'],
    perform: async ({ context }, session) => ((await runMergeWave(context, session)).conflicts > 0 ? 1 : 0),
  });
}
