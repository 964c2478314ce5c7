import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sessionIsSharedError } from '../../domain/concurrency-errors.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { Store } from '../../domain/ports/store-port.ts';
import type { AskedQuestion } from '../../domain/view-models/status-view.ts';
import { lockHolder, takeLock } from '../../util/owned-lock.ts';
import { processState } from '../../util/process-identity.ts';
import { listOpenQuestions } from '../questions/list-open-questions.ts';
import type { ReadContext } from './open-read-context.ts';

/**
 * Keeps two commands from working on one session at once, for the time of `work`. Compare-and-swap would keep the
 * state right all the same; this keeps them from doing the same work twice. The lock of a killed command is taken
 * over at once. The commands an error proposes are about this session. Throws FlameErrors `session-busy` and, of one
 * that can only be read any more, `session-archived`.
 */
export async function withSessionLock<T>(
  { git, store }: Pick<ReadContext, 'git' | 'store'>,
  session: SessionId,
  work: () => Promise<T>,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Promise<T> {
  await requireNotArchived(store, session);
  if (!isShared) await requireNotShared(store, session);
  const release = await tryCloneLock(git.repository.commonDir, session);
  if (release === null) throw busy(session, await listOpenQuestions(git.repository.commonDir, session));
  try {
    return await namingSession(store, session, work);
  } finally {
    await release();
  }
}

/** Of an archived session each snapshot holds no more than that it was: nothing can go on. */
export async function requireNotArchived(store: ReadContext['store'], id: SessionId): Promise<void> {
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
export async function requireNotShared(store: ReadContext['store'], id: SessionId): Promise<void> {
  const found = (await store.snapshot()).sessions.find((session) => session.id === id);
  if (found?.machines !== undefined && found.state !== 'ended') throw sessionIsSharedError(id);
}

function busy(session: SessionId, [asked]: readonly AskedQuestion[]): FlameError {
  const waits = asked === undefined ? '' : ' and waits for your answer';
  return new FlameError({
    kind: 'refused',
    code: 'session-busy',
    message: `Another git flame command is working on session ${session}${waits}.`,
    details: asked === undefined ? [] : [asked.asks],
    hints: [...(asked === undefined ? [] : [asked.next]), 'git flame status'],
  });
}

const pauseMs = 20;

/** Takes a lock that all processes of this clone know by its name; null: another one has it. */
export async function tryCloneLock(commonDir: string, name: string): Promise<(() => Promise<void>) | null> {
  return takeLock(fileOf(commonDir, name), { staleMs: 10_000 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ELOCKED') throw error;
    return null;
  });
}

interface LockWish {
  readonly commonDir: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Does `work` while no other process of this clone holds the lock. Waits as long as the other one takes; rejects with
 * the signal's reason when the person stops the program meanwhile.
 */
export async function runUnderCloneLock<T>({ commonDir, name, signal }: LockWish, work: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const release = await tryCloneLock(commonDir, name);
    if (release === null) {
      await wait(pauseMs);
      continue;
    }
    try {
      return await work();
    } finally {
      await release();
    }
  }
}

/** Whether a command works on a session at this moment, as far as this machine knows; see withSessionLock. */
export function isSessionBusy(commonDir: string, session: SessionId): boolean {
  const holder = lockHolder(fileOf(commonDir, session));
  return holder !== null && ['alive', 'own'].includes(processState(holder));
}

function fileOf(commonDir: string, name: string): string {
  return join(commonDir, 'blueflame', 'locks', `${name}.lock`);
}

const aboutSession = /git flame (run|plan|work|validate|merge|review|status|show|log|task) ?/;

/**
 * Does the work on a session. While a newer one is open beside it, the commands that an error proposes name
 * this one: without a name they would be about the other.
 */
async function namingSession<T>(store: Store, id: SessionId, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FlameError) || !(await isNotCurrentSession(store, id))) throw error;
    throw error.withHints(error.hints.map((hint) => addSessionToCommand(hint, id)));
  }
}

/** Whether commands that name no session are about another one. */
export async function isNotCurrentSession(store: Store, id: SessionId): Promise<boolean> {
  const snapshot = await store.snapshot().catch(() => null);
  // A session that was never stored can't be named.
  const isThere = snapshot?.sessions.some((session) => session.id === id) === true;
  return isThere && snapshot?.current?.id !== id;
}

/** The command with the session it is about. */
export function addSessionToCommand(command: string, id: SessionId): string {
  return aboutSession.test(command) && !command.includes(' --session ') ? `${command} --session ${id}` : command;
}
