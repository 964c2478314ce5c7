import { followEvents } from '../../page/client/transport.ts';
import type { BoardChange, BoardWord } from '../board-changes.ts';
import { about } from './app.ts';

/** The server says that it is there every twenty seconds. */
const longestSilenceMs = 50_000;
const pauses = [300, 1_000, 3_000, 10_000];

interface ConnectionOptions {
  onChange(change: BoardChange): void;
  /** Something can't be shown now, a sentence; the rest stays as it is. */
  onTrouble(words: string): void;
  /** Nothing is heard any more: what is shown may be old. `isOver`: it was ended on purpose, with these words. */
  onLost(words: string, isOver: boolean): void;
}

/** The line to the board, taken up again whenever it breaks: a tab may sleep for days. */
export interface Connection {
  /** Begins again, with the session that is chosen now. */
  restart(): void;
}

export function connect({ onChange, onTrouble, onLost }: ConnectionOptions): Connection {
  let current = new AbortController();
  let heardAt = Date.now();
  let isOver = false;
  const follow = async (own: AbortController): Promise<void> => {
    for (let failures = 0; !own.signal.aborted && !isOver; failures += 1) {
      const hear = (word: BoardChange | BoardWord): void => {
        failures = 0;
        if ('ended' in word) {
          isOver = true;
          onLost(word.ended, true);
        } else if ('trouble' in word) onTrouble(word.trouble);
        else onChange(word);
      };
      const onSign = (): void => {
        heardAt = Date.now();
      };
      onSign();
      const lost = await followEvents(about('/api/events'), hear, { signal: own.signal, onSign }).then(
        () => '',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
      if (own.signal.aborted || isOver) return;
      onLost(lost.startsWith('This address is not valid') ? newAddress : gone, false);
      await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(failures, pauses.length - 1)]));
    }
  };
  const restart = (): void => {
    current.abort();
    current = new AbortController();
    isOver = false;
    void follow(current);
  };
  const check = (): void => {
    if (!isOver && Date.now() - heardAt > longestSilenceMs) {
      onLost(gone, false);
      restart();
    }
  };
  setInterval(check, 10_000);
  // Timers of a tab that sleeps stand still.
  document.addEventListener('visibilitychange', check);
  window.addEventListener('online', check);
  void follow(current);
  return { restart };
}

const gone =
  'git flame does not answer: the board was ended, or the way to it is cut. What is shown may be old, and nothing can be decided here until it answers again.';
const newAddress =
  'The board was started anew and has another address now; git flame prints it. What is shown here is old.';
