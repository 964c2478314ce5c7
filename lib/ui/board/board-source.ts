import type { GateText } from '../../domain/questions/gate.ts';
import type { BoardState, BoardStreamLine, BoardTaskDetails } from '../../domain/shown/board.ts';

/** Where the board gets what it shows. Sessions by their id; null: the one that is current. */
export interface BoardSource {
  /** As it is now. Throws FlameErrors, such as `no-session`. */
  read(session: string | null): Promise<BoardState>;
  /** null: there is no such task. */
  task(session: string | null, id: string): Promise<BoardTaskDetails | null>;
  /** Reports an agent's stream, its latest part first, until its end or an abort of `signal`; false: there is none. */
  follow(
    agent: string,
    hear: (lines: readonly BoardStreamLine[]) => void,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Sends a hint to a running agent. Throws FlameErrors: it is not there, or takes no hint. */
  tell(agent: string, text: string): Promise<void>;
  /** Answers an open question. Throws FlameErrors: the answer is not valid for it, or no run asks it. */
  answer(session: string | null, given: { readonly gate: string; readonly answer: unknown }): Promise<void>;
  /** A text of an open question; null: there is none. */
  gateText(session: string | null, gate: string, what: GateText): Promise<string | null>;
  /** Calls back whenever something may have changed, until the returned function is called. */
  watch(onChange: () => void): () => void;
}
