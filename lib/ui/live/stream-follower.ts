import type { BoardStreamLine } from '../../domain/view-models/board-view.ts';

/** Streams an agent's messages and calls until its end or an abort; resolves to false where there is no stream yet. */
export type FollowStream = (
  agent: string,
  hear: (lines: readonly BoardStreamLine[]) => void,
  signal: AbortSignal,
) => Promise<boolean>;

interface FollowerOptions {
  readonly follow: FollowStream;
  /** Called with the latest lines of the agent that is followed, and how many of them are new. */
  onLines(stream: { readonly agent: string; readonly lines: readonly BoardStreamLine[] }, added: number): void;
}

const mostLines = 500;
/** Between two looks for a stream that is not there yet, and before one is opened that may only be passed over. */
const pauseMs = 150;

/** Follows the stream of one agent at a time: of what others print nothing is kept. */
export class StreamFollower {
  readonly #options: FollowerOptions;
  #agent: string | null = null;
  #following: AbortController | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Follows this agent from now on; null: none. */
  turnTo(agent: string | null): void {
    if (agent === this.#agent) return;
    this.#following?.abort();
    this.#agent = agent;
    if (agent === null) return;
    this.#following = new AbortController();
    this.#follow(agent, this.#following.signal);
  }

  close(): void {
    this.turnTo(null);
  }

  #follow(agent: string, signal: AbortSignal): void {
    let lines: readonly BoardStreamLine[] = [];
    const hear = (more: readonly BoardStreamLine[]): void => {
      if (signal.aborted) return;
      lines = [...lines, ...more.slice(-mostLines)].slice(-mostLines);
      this.#options.onLines({ agent, lines }, more.length);
    };
    const look = (): void => {
      if (signal.aborted) return;
      const found = this.#options.follow(agent, hear, signal);
      found.then(
        (isThere) => void (isThere || again()),
        () => undefined,
      );
    };
    const again = (): void => void setTimeout(look, pauseMs).unref();
    again();
  }
}
