import type { BoardState } from '../../../domain/shown/board.ts';
import { emptyBoard } from '../board-changes.ts';

/** What is open beside the board. */
type Opened =
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'agent'; readonly id: string };

/** What this tab knows and shows. */
interface App {
  state: BoardState;
  /** Milliseconds that the clock of the board is ahead of the one here. */
  clockAhead: number;
  /** The session that was chosen; null: the current one. */
  session: string | null;
  opened: Opened | null;
  /** Whether what is shown is as it is now. */
  isFresh: boolean;
}

export const app: App = {
  state: emptyBoard,
  clockAhead: 0,
  session: new URLSearchParams(location.hash.slice(1)).get('session'),
  opened: null,
  isFresh: false,
};

/** A path of this page, about the session that is shown. */
export function about(path: string): string {
  return app.session === null ? path : `${path}?session=${encodeURIComponent(app.session)}`;
}
