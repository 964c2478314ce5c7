/** Where a question was answered. */
export type AnsweredAt = 'terminal' | 'board' | 'review page' | 'command';

/** The places as words of a sentence. */
export const whereWords: Readonly<Record<AnsweredAt, string>> = {
  terminal: 'at the terminal',
  board: 'on the board',
  'review page': 'on the review page',
  command: 'by a command',
};
