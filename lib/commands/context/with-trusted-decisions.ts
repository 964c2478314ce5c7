import { isEndedElsewhere } from '../../core/admission/unverified-completions.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { type ReadContext, withRepositoryState } from './open-read-context.ts';
import type { TrustedDecisions } from './trust-signed.ts';

/** Like withRepositoryState, for callers that ask what counts: with the decisions that named signers signed. */
export function withTrustedDecisions(
  args: CommandArgs,
  io: Io,
  work: (reading: ReadContext) => Promise<number>,
): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    const { store } = reading;
    // Nothing in it counts by a signature.
    if (store.isOwn(await store.raw.readOneSession(() => null))) return work(reading);
    const { decided } = await readTrustedDecisions(io, reading);
    return work({ ...reading, decided });
  });
}

/** Reads the decisions that count now. A configuration that can't be read, or wasn't allowed, names no signers. */
export async function readTrustedDecisions(
  io: Io,
  reading: Pick<ReadContext, 'git' | 'store' | 'decided' | 'configFile'>,
): Promise<TrustedDecisions> {
  const { store, decided } = reading;
  decided.refresh();
  // Raw sessions: signatures verify ends too.
  const sessions = (await store.raw.readOneSession(() => null)).sessions.filter(
    (session) => isDecidableSession(session) || isEndedElsewhere(session, { decided }),
  );
  const ids = new Set(sessions.map(({ id }) => id));
  const notes = sessions.length === 0 ? [] : await store.signatures();
  const open = notes.filter(({ session, seals }) => ids.has(session) && seals.length > 0);
  const nothing = { decided, withdrawn: new Set<string>(), refused: [] };
  if (open.length === 0) return nothing;
  // Most repositories have no signatures: who only looks loads nothing for them.
  const { trustSignedDecisions } = await import('./trust-signed.ts');
  const counting = (await trustSignedDecisions(io, { ...reading, sessions, notes: open })) ?? nothing;
  store.admitBy({ decided: counting.decided });
  return counting;
}

/** Sessions that anything can still be decided about. */
export function isDecidableSession({ state, archived_at }: Session): boolean {
  return state !== 'ended' && archived_at === undefined;
}
