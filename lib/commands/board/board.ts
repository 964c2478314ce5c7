import { badValue } from '../../domain/bad-usage.ts';
import type { CommandArgs, CommandOptions } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { ServeOptions } from '../../ui/page/page-server.ts';
import { withDecisions } from '../open/signed-decisions.ts';
import { serveBoard } from './serve-board.ts';

/** `git flame board`: what a session does and what waits in it, on a page; until Ctrl-C. */
export function run(args: CommandArgs<'board'>, io: Io): Promise<number> {
  const serve = readServe(args.options);
  return withDecisions(args, io, async (reading) => {
    if (args.globals.dryRun) {
      reading.output.result('Would serve the board on this machine.');
      return 0;
    }
    const board = await serveBoard({ reading, io }, { serve, opens: args.options.open, farewell });
    try {
      await interrupted(io);
    } finally {
      await board.close();
    }
    return 0;
  });
}

const farewell =
  'This board was closed where it was started. What runs goes on: git flame board shows it again.';

function interrupted({ signal }: Io): Promise<void> {
  return new Promise((resolve) => {
    if (signal === undefined || signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Throws FlameError `bad-value`. */
function readServe({ port, address }: CommandOptions['board']): Pick<ServeOptions, 'port' | 'address'> {
  const hints = ['git flame board --port 7171 --address https://desk.example:8443', 'git flame board -h'];
  if (port !== null && port > 65_535) throw badValue(`There is no port ${port}.`, { hints });
  if (address === null) return port === null ? {} : { port };
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw badValue(
      `Option --address needs where a browser finds your tunnel, as https://host:port, not ${JSON.stringify(address)}.`,
      { hints },
    );
  return port === null ? { address: url } : { port, address: url };
}
