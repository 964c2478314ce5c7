import type { Io } from '../../domain/shown/io.ts';
import type { Opened } from '../open/open-workshop.ts';
import { serveBoard } from './serve-board.ts';

const farewell =
  'This run has ended. Nothing can be decided here any more; git flame board shows the session again.';

/** Does the work with a board beside it, where one is wanted. */
export async function withOwnBoard(opened: Opened, io: Io, work: () => Promise<number>): Promise<number> {
  const { page: wishes } = opened.wishes;
  if (!wishes.servesBoard) return work();
  const review = await opened.page.mount();
  const board = await serveBoard(
    { reading: opened, io, line: opened.desk, review },
    { serve: {}, opens: wishes.opensBrowser, farewell },
  );
  try {
    return await work();
  } finally {
    await board.close();
  }
}
