import { noSession } from '../../domain/bad-input.ts';
import { parseSessionId, sessionIdPattern } from '../../domain/ids.ts';
import type { AdmittedSnapshot, SessionLook, Snapshot, TrustedStore } from '../../domain/ports/store-port.ts';
import type { CommandArgs, CommandName } from '../../domain/shown/command.ts';
import type { Session } from '../../domain/state/session.ts';

/** The session a command is about: the one named with --session, else the one that is current when it is asked for. */
export interface SessionMeant {
  /** As it was typed; null: the current one. */
  readonly name: string | null;
  /** null: no session was ever started. Throws FlameError `no-session` where the one named isn't there. */
  pick(snapshot: Sessions): Session | null;
  /** The session, or a FlameError `no-session` saying how to start one. */
  require(snapshot: Sessions): Session;
}

type Sessions = Pick<Snapshot, 'sessions' | 'current'>;

export function sessionMeant(name: string | null): SessionMeant {
  const pick = (snapshot: Sessions): Session | null =>
    name === null ? snapshot.current : findSession(snapshot, name);
  return { name, pick, require: (snapshot) => pick(snapshot) ?? noneYet() };
}

/** Read-only commands take a session as their operand, too. */
export function nameByOperand<Name extends CommandName>(args: CommandArgs<Name>): CommandArgs<Name> {
  const [name] = args.positionals;
  const isSession = name !== undefined && sessionIdPattern.test(name);
  return isSession ? { ...args, globals: { ...args.globals, session: name } } : args;
}

/** The state a command that only reads is about: what is at hand, or the archive where the session named is there. */
export async function readSnapshot(
  store: TrustedStore,
  { name }: Pick<SessionMeant, 'name'>,
): Promise<AdmittedSnapshot> {
  const snapshot = await store.snapshot();
  const named = snapshot.sessions.find(({ id }) => id === name);
  return named?.archived_at === undefined ? snapshot : store.archive();
}

/** Like readSnapshot, of the session meant alone. */
export async function lookAtSession(store: TrustedStore, meant: SessionMeant): Promise<SessionLook> {
  const look = await store.look((sessions) => meant.pick(sessions)?.id ?? null);
  const named = look.sessions.find(({ id }) => id === meant.name);
  return named?.archived_at === undefined ? look : store.archive();
}

function findSession({ sessions }: Sessions, name: string): Session {
  const id = parseSessionId(name);
  const session = sessions.find((candidate) => candidate.id === id);
  if (session !== undefined) return session;
  const known = sessions.slice(-5).map((candidate) => `git flame status --session ${candidate.id}`);
  throw noSession(id, known.length > 0 ? known : ["git flame run 'What you want done'"]);
}

function noneYet(): never {
  throw noSession(null, ["git flame run 'What you want done'"]);
}
