import { FlameError, refusedError } from '../../domain/flame-error.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import { longestObjective, type Session, sessionSchema } from '../../domain/state/session-schema.ts';
import { formatCount } from '../../util/format-figures.ts';
import { decideAndRecord, type RecordContext } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import type { BaseBranch } from '../work/preflight.ts';

/** Starts a session of this id, beside others or only where none is going on. Throws FlameErrors `session-open` and `bad-objective`. */
export async function createSession(
  context: RecordContext & Pick<RunContext, 'configDigest'>,
  id: SessionId,
  { objective, base, isBeside, leader }: NewSession,
): Promise<void> {
  requireValidObjective(objective);
  const by = leader ?? context.gates.person;
  const session = { ...makeEmptySession(context, id, objective, base), created_by: by };
  await context.store.transact((snapshot) => {
    if (!isBeside) requireNoOpenSession(snapshot);
    return {
      changes: [{ subject: `session: started on ${base.branch}`, body: objective, session }],
      actor: by,
    };
  });
  context.events.emit({ event: 'session-started', session: id, objective, base_branch: base.branch });
}

interface NewSession {
  readonly objective: string;
  readonly base: BaseBranch;
  /** Whether others may be going on. */
  readonly isBeside: boolean;
  /** A model that leads; absent: the person. */
  readonly leader?: AgentId;
}

/** Throws FlameError `session-open` where a session is going on. */
export function requireNoOpenSession({ sessions }: Pick<Snapshot, 'sessions'>): void {
  const open = sessions.find(({ state }) => state === 'active');
  if (open !== undefined) throw sessionOpen(open);
}

/**
 * Stops an open session that no command works on, so that another can take its place; `--session` continues
 * it.
 */
export async function stopSessionForAnother(
  context: Pick<RunContext, 'gates' | 'store'>,
  id: SessionId,
): Promise<void> {
  await context.store.transact((snapshot) => {
    const { session: open } = snapshot.admitted(id);
    if (open.state !== 'active') return null;
    const subject = 'session: left open for a new one';
    return { changes: [{ subject, session: { ...open, state: 'stopped' } }], actor: context.gates.person };
  });
}

/** A session that has nothing but its objective yet. */
export function makeEmptySession(
  context: Pick<RunContext, 'configDigest' | 'gates' | 'now'>,
  id: SessionId,
  objective: string,
  { branch, commit }: BaseBranch,
): Session {
  const at = timestamp(context);
  return {
    v: 1,
    rev: 1,
    id,
    objective,
    base_branch: branch,
    base_commit: commit,
    config_digest: context.configDigest,
    cycle: 0,
    wave: 'plan',
    state: 'active',
    replans: 0,
    proposal: null,
    replan_notes: null,
    created_by: context.gates.person,
    created_at: at,
    updated_at: at,
    estimate: null,
    cost_usd: 0,
    tokens: 0,
    spend: {},
    raised_limit: null,
    agents: [],
    changesets: [],
    gates: [],
    checkout: null,
    pauses: [],
  };
}

function sessionOpen(session: Session): FlameError {
  const { id } = session;
  return refusedError('session-open', `Session ${id} is still open: ${deriveSessionTitle(session)}`, [
    'git flame run',
    `Or end it and give up its unfinished work: git flame session end ${id}`,
    'Or leave it open and start a new one: git flame run --new OBJECTIVE',
  ]);
}

/** Gives a session another title; its objective stays. */
export async function renameSession(context: RecordContext, id: SessionId, title: string): Promise<void> {
  await decideAndRecord(context, id, ({ session }) =>
    session.title === title ? null : { session: { next: { ...session, title }, subject: `session: titled ${title}` } },
  );
}

/** Refuses, before anything is stored, an objective that no session can hold. Throws FlameError `bad-objective`. */
export function requireValidObjective(objective: string): void {
  const parsed = sessionSchema.shape.objective.safeParse(objective);
  if (parsed.success) return;
  const why =
    objective.length > longestObjective
      ? `has ${formatCount(objective.length, 'character')}, but may have at most ${formatCount(longestObjective, 'character')}`
      : (parsed.error.issues[0]?.message ?? 'is not text');
  throw new FlameError({
    kind: 'usage',
    code: 'bad-objective',
    message: `The objective ${why}.`,
    hints: ["git flame run 'Implement what SPEC.md describes'"],
  });
}
