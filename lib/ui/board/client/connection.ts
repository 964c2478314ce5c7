import { keepLine } from '../../page/client/keep-line.ts';
import type { BoardChange, BoardEnd, BoardWord } from '../board-changes.ts';
import { about } from './app.ts';

interface ConnectionOptions {
  onChange(change: BoardChange): void;
  /** Something can't be shown now, a sentence; the rest stays as it is. */
  onTrouble(words: string): void;
  /** Nothing is heard any more: what is shown may be old. `end`: it was ended on purpose, with these words. */
  onLost(words: string, end: BoardEnd | null): void;
}

/** The line to the board. */
export interface Connection {
  /** Begins again, with the session that is chosen now. */
  restart(): void;
}

export function connect({ onChange, onTrouble, onLost }: ConnectionOptions): Connection {
  const line = keepLine<BoardChange | BoardWord>({
    path: () => about('/api/events'),
    onValue: (word) => {
      if ('ended' in word) {
        line.stop();
        onLost(word.ended, word);
      } else if ('trouble' in word) onTrouble(word.trouble);
      else onChange(word);
    },
    onLost: (reason) => onLost(reason.startsWith('This address is not valid') ? newAddress : gone, null),
  });
  return line;
}

const gone =
  'git flame does not answer: the board was ended, or the way to it is cut. What is shown may be old, and nothing can be decided here until it answers again.';
const newAddress =
  'The board was started anew and has another address now; git flame prints it. What is shown here is old.';
