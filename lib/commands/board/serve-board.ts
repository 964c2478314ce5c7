import { FlameError } from '../../domain/flame-error.ts';
import type { GateLine } from '../../domain/shown/gate.ts';
import type { Io } from '../../domain/shown/io.ts';
import { type Board, openBoard } from '../../ui/board/open-board.ts';
import type { ServeOptions } from '../../ui/page/page-server.ts';
import type { ReviewPagePart } from '../../ui/review-page/open-review-page.ts';
import type { PagePreferences } from '../../ui/review-page/page-facts.ts';
import { openPage } from '../open/open-page.ts';
import type { Reading } from '../open/read-state.ts';
import { preferencesIn } from '../open/review-page.ts';
import { openBoardSource } from './board-source.ts';

interface BoardParts {
  readonly reading: Reading;
  readonly io: Io;
  /** Where the questions lie of the command that serves it; null: it asks none. */
  readonly line?: GateLine | null;
  /** Is served below it. */
  readonly review?: ReviewPagePart | null;
}

interface ServeWishes {
  readonly serve: Pick<ServeOptions, 'port' | 'address'>;
  /** Whether the person's browser is started. */
  readonly opens: boolean;
  readonly farewell: string;
}

/** Serves the board and says where. Throws FlameError `port-taken`. */
export async function serveBoard(
  { reading, io, line = null, review = null }: BoardParts,
  { serve, opens, farewell }: ServeWishes,
): Promise<Pick<Board, 'close'>> {
  const source = openBoardSource({ reading, io, line });
  const preferences = preferencesIn(reading.git.repository.commonDir);
  const theme = {
    read: async () => (await preferences.read()).theme,
    write: async (chosen: PagePreferences['theme']) =>
      preferences.write({ ...(await preferences.read()), theme: chosen }),
  };
  const board = await openBoard({ source, theme, serve, farewell, review }).catch(
    (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      throw isTaken && serve.port !== undefined ? portTaken(serve.port, error) : error;
    },
  );
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

/** The same page by the person's own way to it. */
function tunnelled(url: string, address: URL | undefined): { readonly tunnel?: string } {
  return address === undefined ? {} : { tunnel: `${address.origin}/${new URL(url).search}` };
}

/** Another program serves there. */
function portTaken(port: number, cause: unknown): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'port-taken',
    message: `Port ${port} can't be had: another program serves there, or it is not yours to serve on.`,
    hints: ['git flame board'],
    cause,
  });
}
