import type { Session } from './session.ts';

/** What a session is called where there is one line for it. */
export function titleOf({ title, objective }: Pick<Session, 'title' | 'objective'>): string {
  return title ?? objective.trim().split('\n')[0] ?? '';
}
