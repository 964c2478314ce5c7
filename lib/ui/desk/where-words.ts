import type { AnsweredAt } from '../../domain/answered-at.ts';

/** Where something was decided, as it stands in a sentence. */
export const whereWords: Readonly<Record<AnsweredAt, string>> = {
  terminal: 'at the terminal',
  board: 'on the board',
  'review page': 'on the review page',
  command: 'by a command',
};
