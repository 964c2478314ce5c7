import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Store } from '../../domain/ports/store-port.ts';

const aboutSession = /git flame (run|plan|work|validate|merge|review|status|show|log|task) ?/;

/**
 * Does the work on a session. While a newer one is open beside it, the commands that an error proposes name
 * this one: without a name they would be about the other.
 */
export async function namingSession<T>(store: Store, id: SessionId, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FlameError) || !(await isBesideCurrent(store, id))) throw error;
    throw error.withHints(error.hints.map((hint) => nameSession(hint, id)));
  }
}

/** Whether commands that name no session are about another one. */
export async function isBesideCurrent(store: Store, id: SessionId): Promise<boolean> {
  const snapshot = await store.snapshot().catch(() => null);
  // A session that was never stored can't be named.
  const isThere = snapshot?.sessions.some((session) => session.id === id) === true;
  return isThere && snapshot?.current?.id !== id;
}

/** The command with the session it is about. */
export function nameSession(command: string, id: SessionId): string {
  return aboutSession.test(command) && !command.includes(' --session ')
    ? `${command} --session ${id}`
    : command;
}
