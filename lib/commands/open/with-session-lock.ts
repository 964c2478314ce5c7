import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { sessionShared } from '../../domain/meanwhile.ts';
import { tryLock } from './clone-lock.ts';
import { namingSession } from './name-session.ts';
import type { Reading } from './read-state.ts';

/**
 * Keeps two commands from working on one session at once, for the time of `work`. Compare-and-swap would keep the
 * state right all the same; this keeps them from doing the same work twice. The lock of a killed command is taken
 * over at once. The commands an error proposes are about this session. Throws FlameErrors `session-busy` and, of one
 * that can only be read any more, `session-archived`.
 */
export async function withSessionLock<T>(
  { git, store }: Pick<Reading, 'git' | 'store'>,
  session: SessionId,
  work: () => Promise<T>,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Promise<T> {
  await requireAtHand(store, session);
  if (!isShared) await requireAlone(store, session);
  const release = await tryLock(git.repository.commonDir, session);
  if (release === null) throw busy(session);
  try {
    return await namingSession(store, session, work);
  } finally {
    await release();
  }
}

/** Of an archived session each snapshot holds no more than that it was: nothing can go on. */
export async function requireAtHand(store: Reading['store'], id: SessionId): Promise<void> {
  const { sessions } = await store.snapshot();
  if (sessions.find((session) => session.id === id)?.archived_at === undefined) return;
  throw new FlameError({
    kind: 'refused',
    code: 'session-archived',
    message: `Session ${id} has ended and was archived: it can be read, but not continued.`,
    hints: [`git flame status --session ${id}`, "git flame run 'What is still to do'"],
  });
}

/** Refuses a session that machines share: it is decided at the remote, or two would do the same. */
export async function requireAlone(store: Reading['store'], id: SessionId): Promise<void> {
  const found = (await store.snapshot()).sessions.find((session) => session.id === id);
  if (found?.machines !== undefined && found.state !== 'ended') throw sessionShared(id);
}

function busy(session: SessionId): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'session-busy',
    message: `Another git flame command is working on session ${session}.`,
    hints: ['git flame status'],
  });
}
