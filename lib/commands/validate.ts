import type { CommandArgs } from '../domain/command-args.ts';
import type { Io } from '../domain/io.ts';
import { viewSession } from '../engine/record.ts';
import { validateWave } from '../engine/validate-wave.ts';
import { runWave } from './wiring/run-wave.ts';

/** `git flame validate`: wave 3 alone. 1 when a task did not pass. */
export function run(args: CommandArgs<'validate'>, io: Io): Promise<number> {
  return runWave(args, io, {
    actions: ['validate'],
    perform: async ({ workshop }, session) => {
      await validateWave(workshop, session);
      const { tasks } = await viewSession(workshop, session);
      const isLost = tasks.some(
        ({ status }) =>
          status === 'requeued' || status === 'failed' || status === 'blocked' || status === 'dropped',
      );
      return isLost ? 1 : 0;
    },
  });
}
