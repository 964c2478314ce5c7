import type { createLogUpdate } from 'log-update';
import type { OutputStream } from '../../domain/shown/command.ts';
import { textWidth } from '../../util/format-width.ts';

export interface LiveScreen {
  /** Draws the lines in place of those before. */
  draw(lines: readonly string[]): void;
  /** Takes the lines away, so that something can be written where they were. */
  clear(): void;
  /** Removes what is left of lines the terminal re-wrapped after a resize. */
  clearResized(): void;
}

type CreateLogUpdate = typeof createLogUpdate;

/**
 * Lines at the bottom of a terminal that are drawn again and again. The cursor is never hidden: a killed
 * program could not show it again.
 */
export function createLiveScreen(stream: OutputStream, createLog: CreateLogUpdate): LiveScreen {
  const log = createLog(stream, { showCursor: true });
  let drawn: readonly string[] = [];
  return {
    draw: (lines) => {
      // log-update 7.2 loses the last lines where one is added or removed above them.
      if (lines.length !== drawn.length) log.clear();
      drawn = lines;
      log(lines.join('\n'));
    },
    clear: () => {
      if (drawn.length > 0) log.clear();
      drawn = [];
    },
    clearResized: () => {
      const columns = stream.columns ?? 80;
      const rows = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
      // Up to where the first line begins now, and everything below it away.
      if (rows > 0) stream.write(`\r\u001b[${rows}A\u001b[J`);
      log.done();
      drawn = [];
    },
  };
}
