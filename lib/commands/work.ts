import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { viewSession } from '../engine/record-changes.ts';
import { runWorkWave } from '../engine/work/work-wave.ts';
import { joinSession } from './machines/join-session.ts';
import { chooseExitCode } from './run-loop/continue-session.ts';
import { runWave } from './run-loop/run-wave.ts';

/** `git flame work`: wave 2 alone. 1 when a task failed for good. */
export function run(args: CommandArgs<'work'>, io: Io): Promise<number> {
  if (args.options.join !== null) return joinSession(args, io);
  return runWave(args, io, {
    actions: ['work'],
    perform: async ({ context }, session) => {
      await runWorkWave(context, session);
      return chooseExitCode((await viewSession(context, session)).tasks);
    },
  });
}
