import { isIP } from 'node:net';
import { FlameError } from '../../domain/flame-error.ts';
import { badOptionValueError } from '../../domain/input-errors.ts';
import type { QuestionChannel } from '../../domain/questions/question-data.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { MachineSession } from '../../domain/view-models/machine-sessions-view.ts';
import type { BoardEndMessage } from '../../ui/board/board-changes.ts';
import { type BoardServer, openBoardServer } from '../../ui/board/board-server.ts';
import type { PageServerOptions } from '../../ui/page/page-server.ts';
import type { ReviewPageHandler } from '../../ui/review-page/open-review-page.ts';
import type { ReviewPagePreferences } from '../../ui/review-page/page-facts.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { explainPageRefusal } from '../context/require-typed-by-person.ts';
import { withTrustedDecisions } from '../context/with-trusted-decisions.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';
import { openPagePreferences, prepareBrowserOpening } from '../run-context/review-page-opener.ts';
import { announceBoard, findAnnouncedBoard } from './announced-boards.ts';
import { openBoardSource } from './board-source.ts';

/** `git flame board`: what a session does and what waits in it, on a page; until Ctrl-C. */
export function run(args: CommandArgs<'board'>, io: Io): Promise<number> {
  const serve = readServe(args.options, 'git flame board');
  return withTrustedDecisions(args, io, async (reading) => {
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
  ended: 'This board was closed where it was started. Runs continue: git flame board shows them again.',
  isRunOver: false,
};

function interrupted({ signal }: Io): Promise<void> {
  return new Promise((resolve) => {
    if (signal === undefined || signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

interface BoardParts {
  readonly reading: ReadContext;
  readonly io: Io;
  /** The questions of the command that serves it; null: it asks none. */
  readonly line?: QuestionChannel | null;
  /** Is served below it. */
  readonly review?: ReviewPageHandler | null;
}

interface ServeWishes {
  readonly serve: ServePlace;
  /** The command that serves it, on a port that is free. */
  readonly again: string;
  /** Whether the person's browser is started. */
  readonly opens: boolean;
  readonly farewell: BoardEndMessage;
}

/** Serves the board and says where. Throws FlameError `port-taken`. */
async function serveBoard(
  { reading, io, line = null, review = null }: BoardParts,
  { serve: { warning, ...serve }, opens, farewell, again }: ServeWishes,
): Promise<Pick<BoardServer, 'close'>> {
  const source = openBoardSource({ reading, io, line });
  const preferences = openPagePreferences(reading.git.repository.commonDir);
  const theme = {
    read: async () => (await preferences.read()).theme,
    write: async (chosen: ReviewPagePreferences['theme']) =>
      preferences.write({ ...(await preferences.read()), theme: chosen }),
  };
  const stranger = explainPageRefusal(reading.git.repository, io);
  // Those who see this session through a tunnel, or from another machine, have no part in the others.
  const isForOthers = serve.address !== undefined || serve.host !== undefined;
  const board = await openBoardServer({
    source,
    theme,
    serve: { ...serve, stranger },
    farewell,
    review,
    ...(isForOthers ? {} : { readOtherSessions: () => readOtherSessions(reading, io) }),
  }).catch((error: NodeJS.ErrnoException) => {
    const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
    if (error.code === 'EADDRNOTAVAIL') throw noSuchAddress(serve.host ?? '', again);
    throw isTaken && serve.port !== undefined ? portTaken(serve.port, { again, cause: error }) : error;
  });
  if (warning !== '') reading.output.events.emit({ event: 'notice', level: 'warning', message: warning });
  reading.output.events.emit({ event: 'board', url: board.url, ...tunnelled(board.url, serve.address) });
  if (board.reviewUrl !== null) reading.output.events.emit({ event: 'review-page', url: board.reviewUrl });
  const hasBrowser = opens && io.stderr.isTTY === true;
  const forget = hasBrowser ? prepareBrowserOpening(io, reading.git.repository.commonDir, board) : null;
  const withdraw = announceBoard(io.env, reading.git.repository.commonDir, board.url);
  return {
    close: async () => {
      withdraw();
      await forget?.();
      await board.close();
      source.close();
    },
  };
}

/** The person's open sessions in other repositories, each with the address of its board where one runs. */
async function readOtherSessions({ git }: ReadContext, io: Io): Promise<readonly MachineSession[]> {
  const { gatherMachineSessions } = await import('../status/gather-machine-sessions.ts');
  const boardOf = (commonDir: string): string | null => findAnnouncedBoard(io.env, commonDir);
  return (await gatherMachineSessions(io, { except: git.repository.commonDir, boardOf })).sessions;
}

/** The page's address through the person's own tunnel. */
function tunnelled(url: string, address: URL | undefined): { readonly tunnel?: string } {
  return address === undefined ? {} : { tunnel: `${address.origin}/${new URL(url).search}` };
}

/** Another program serves there. */
function portTaken(port: number, { again, cause }: { readonly again: string; readonly cause: unknown }): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'port-taken',
    message: `Port ${port} can't be used: another program serves on it, or you may not serve on it.`,
    hints: [`On a free port: ${again}`],
    cause,
  });
}

function noSuchAddress(host: string, again: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'no-such-address',
    message: `This machine has no address ${host} to serve on.`,
    hints: ['ip addr', again],
  });
}

const ownFarewell = {
  ended: "This run has ended, so you can't decide anything here. git flame board shows the session again.",
  isRunOver: true,
};

/** Does the work with a board beside it, where one is wanted. */
export async function runWithOwnBoard(opened: CommandContext, io: Io, work: () => Promise<number>): Promise<number> {
  const { page: wishes } = opened.commandLine;
  if (wishes.board === null) return work();
  const { command, ...words } = wishes.board;
  const serve = readServe(words, command);
  const review = await opened.page.mount();
  const board = await serveBoard(
    { reading: opened, io, line: opened.queue, review },
    { serve, opens: wishes.opensBrowser, farewell: ownFarewell, again: command },
  );
  try {
    return await work();
  } finally {
    await board.close();
  }
}

/** The address a board is served at. */
interface ServePlace extends Pick<PageServerOptions, 'host' | 'port' | 'address'> {
  /** A warning about it for the person, a sentence or two; '': none. */
  readonly warning: string;
}

interface ServeWords {
  readonly port: number | null;
  readonly address: string | null;
}

/**
 * Reads `--port` and `--address`: where the person's own tunnel leads to the board, or an address of this machine to serve
 * it on, which is one of the loopback network by itself. Throws FlameError `bad-value`.
 */
function readServe({ port, address }: ServeWords, command: string): ServePlace {
  const hints = [`${command} --port 7171 --address https://desk.example:8443`, `${command} -h`];
  if (port !== null && port > 65_535) throw badOptionValueError(`There is no port ${port}.`, { hints });
  const at = port === null ? {} : { port };
  if (address === null) return { ...at, warning: '' };
  if (isIP(address) !== 0) return { ...at, ...ownAddress(address, hints) };
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw badOptionValueError(
      `Option --address needs the public address of your tunnel, as https://host:port, or an address of this machine, not ${JSON.stringify(address)}.`,
      { hints },
    );
  return { ...at, address: url, warning: '' };
}

function ownAddress(host: string, hints: readonly string[]): Pick<ServePlace, 'host' | 'warning'> {
  // However it is written: `::ffff:0.0.0.0` is one of them.
  if (/^[0:]*(?:ffff:)?[0:.]*$/i.test(host))
    throw badOptionValueError(`${host} stands for every address of this machine: name one.`, { hints });
  if (/^127\.|^::1$/.test(host)) return { host, warning: '' };
  const warning = `The board is served on ${host}, unencrypted: anyone who reads its traffic or gets its address can decide in your place. A tunnel of your own to the loopback address is safer.`;
  return { host, warning };
}
