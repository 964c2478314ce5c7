import { type BlackboardNote, type BlackboardPage, blackboardNoteLimits } from '../../domain/state/blackboard.ts';
import type { Session } from '../../domain/state/session-schema.ts';

/** Notes that are left on one page of a session, or taken away from it. */
export interface BlackboardPageChange {
  /** See BlackboardPage. */
  readonly task: BlackboardPage['task'];
  readonly add: readonly BlackboardNote[];
  readonly drop: readonly BlackboardNote[];
}

/** The page after a change. Of a worker's notes the newest stay; of those who lead nothing goes by itself. */
export function changeBlackboardPage(
  { id: session }: Pick<Session, 'id'>,
  pages: readonly BlackboardPage[],
  { task, add, drop }: BlackboardPageChange,
): BlackboardPage {
  const gone = new Set([...add, ...drop].map(({ id }) => id));
  const old = pages.find((page) => page.task === task)?.notes ?? [];
  const notes = [...old.filter(({ id }) => !gone.has(id)), ...add];
  return {
    v: 1,
    rev: 1,
    session,
    task,
    notes: task === null ? notes : notes.slice(-blackboardNoteLimits.ofTask),
  };
}
