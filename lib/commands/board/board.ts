import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import { withDecisions } from '../open/signed-decisions.ts';
import { readServe } from './read-serve.ts';
import { serveBoard } from './serve-board.ts';

/** `git flame board`: what a session does and what waits in it, on a page; until Ctrl-C. */
export function run(args: CommandArgs<'board'>, io: Io): Promise<number> {
  const serve = readServe(args.options, 'git flame board');
  return withDecisions(args, io, async (reading) => {
    if (args.globals.dryRun) {
      reading.output.result('Would serve the board on this machine.');
      return 0;
    }
    const board = await serveBoard(
      { reading, io },
      { serve, opens: args.options.open, farewell, again: 'git flame board' },
    );
    try {
      await interrupted(io);
    } finally {
      await board.close();
    }
    return 0;
  });
}

const farewell = {
  ended: 'This board was closed where it was started. What runs goes on: git flame board shows it again.',
  isRunOver: false,
};

function interrupted({ signal }: Io): Promise<void> {
  return new Promise((resolve) => {
    if (signal === undefined || signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
