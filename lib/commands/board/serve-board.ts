import { FlameError } from '../../domain/flame-error.ts';
import type { GateLine } from '../../domain/questions/gate.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { BoardEnd } from '../../ui/board/board-changes.ts';
import { type Board, openBoard } from '../../ui/board/open-board.ts';
import type { ReviewPagePart } from '../../ui/review-page/open-review-page.ts';
import type { PagePreferences } from '../../ui/review-page/page-facts.ts';
import { openPage } from '../open/open-page.ts';
import { strangerOnPage } from '../open/own-terminal.ts';
import type { Reading } from '../open/read-state.ts';
import { preferencesIn } from '../open/review-page.ts';
import { openBoardSource } from './board-source.ts';
import type { ServePlace } from './read-serve.ts';

interface BoardParts {
  readonly reading: Reading;
  readonly io: Io;
  /** The questions of the command that serves it; null: it asks none. */
  readonly line?: GateLine | null;
  /** Is served below it. */
  readonly review?: ReviewPagePart | null;
}

interface ServeWishes {
  readonly serve: ServePlace;
  /** The command that serves it, on a port that is free. */
  readonly again: string;
  /** Whether the person's browser is started. */
  readonly opens: boolean;
  readonly farewell: BoardEnd;
}

/** Serves the board and says where. Throws FlameError `port-taken`. */
export async function serveBoard(
  { reading, io, line = null, review = null }: BoardParts,
  { serve: { warning, ...serve }, opens, farewell, again }: ServeWishes,
): Promise<Pick<Board, 'close'>> {
  const source = openBoardSource({ reading, io, line });
  const preferences = preferencesIn(reading.git.repository.commonDir);
  const theme = {
    read: async () => (await preferences.read()).theme,
    write: async (chosen: PagePreferences['theme']) =>
      preferences.write({ ...(await preferences.read()), theme: chosen }),
  };
  const stranger = strangerOnPage(reading.git.repository, io);
  const board = await openBoard({ source, theme, serve: { ...serve, stranger }, farewell, review }).catch(
    (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      if (error.code === 'EADDRNOTAVAIL') throw noSuchAddress(serve.host ?? '', again);
      throw isTaken && serve.port !== undefined ? portTaken(serve.port, { again, cause: error }) : error;
    },
  );
  if (warning !== '') reading.output.events.emit({ event: 'notice', level: 'warning', message: warning });
  reading.output.events.emit({ event: 'board', url: board.url, ...tunnelled(board.url, serve.address) });
  if (board.reviewUrl !== null) reading.output.events.emit({ event: 'review-page', url: board.reviewUrl });
  const hasBrowser = opens && io.stderr.isTTY === true;
  const forget = hasBrowser ? openPage(io, reading.git.repository.commonDir, board) : null;
  return {
    close: async () => {
      await forget?.();
      await board.close();
      source.close();
    },
  };
}

/** The page's address through the person's own tunnel. */
function tunnelled(url: string, address: URL | undefined): { readonly tunnel?: string } {
  return address === undefined ? {} : { tunnel: `${address.origin}/${new URL(url).search}` };
}

/** Another program serves there. */
function portTaken(
  port: number,
  { again, cause }: { readonly again: string; readonly cause: unknown },
): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'port-taken',
    message: `Port ${port} can't be had: another program serves there, or it is not yours to serve on.`,
    hints: [`A port that is free: ${again}`],
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
