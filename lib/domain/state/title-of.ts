import type { Session } from './session.ts';

/** A session's title in one line. */
export function titleOf({ title, objective }: Pick<Session, 'title' | 'objective'>): string {
  return title ?? objective.trim().split('\n')[0] ?? '';
}
