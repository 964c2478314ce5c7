/** Where a question was answered. */
export type AnsweredAt = 'terminal' | 'board' | 'review page' | 'command';
