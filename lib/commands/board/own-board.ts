import type { Io } from '../../domain/shown/command.ts';
import type { Opened } from '../open/open-workshop.ts';
import { readServe } from './read-serve.ts';
import { serveBoard } from './serve-board.ts';

const ownFarewell = {
  ended: 'This run has ended. Nothing can be decided here any more; git flame board shows the session again.',
  isRunOver: true,
};

/** Does the work with a board beside it, where one is wanted. */
export async function withOwnBoard(opened: Opened, io: Io, work: () => Promise<number>): Promise<number> {
  const { page: wishes } = opened.wishes;
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
