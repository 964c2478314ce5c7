import { mkdirSync } from 'node:fs';
import { agentLogsRoot } from '../../cell/run-folder.ts';
import { auditFile, openAuditLog } from '../../cell/watcher/audit-log.ts';
import { isAdapterOffered } from '../../domain/config/role-adapter-and-model.ts';
import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { leadToolError, noOpenSessionError, sessionEndedError } from '../../engine/lead-agent/lead-tool-errors.ts';
import { requireValidFirstTasks } from '../../engine/lead-agent/propose-tasks.ts';
import { warnOfLooseLeadAgentRules } from '../../engine/lead-agent/run-lead-agent.ts';
import { readPlanBoundsAtCommit } from '../../engine/plan-problems.ts';
import { viewSession } from '../../engine/record-changes.ts';
import type { RunContext } from '../../engine/run-context.ts';
import { createSession } from '../../engine/session/create-session.ts';
import { findBaseBranch, requireRunCanStart } from '../../engine/work/preflight.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { readConfig, requireWorkTree } from '../context/read-config.ts';
import { withSessionLock } from '../context/session-lock.ts';
import { readTrustedDecisions } from '../context/with-trusted-decisions.ts';
import { type CommandContext, withRunContext } from '../run-context/open-run-context.ts';
import {
  type CallReport,
  type LeadReadContext,
  LeadSession,
  type NewSessionStart,
  openLeadLock,
} from './lead-session.ts';
import { chatModelInstruction } from './tool-results.ts';

/** Clients take a call that lasts longer for a failure. */
const longestWaitMs = 45_000;

/**
 * The lead of a person's own chat. Nothing is opened before it is asked for, nothing is locked before something is
 * changed, and the session's lock is held only while agents run, so that the person's own commands find it free.
 * `close` ends agents that run, gives their tasks back, and closes what was opened.
 */
export async function openLeadSessionInChat(
  args: CommandArgs,
  io: Io,
  by: AgentId,
): Promise<{ readonly lead: LeadSession; close(): Promise<void> }> {
  const state = holdOpen<ReadContext>((work) => withRepositoryState(args, io, work));
  const shop = holdOpen<CommandContext>((work) => withRunContext(args, io, work));
  const { git, output } = await state.get();
  const { commonDir } = git.repository;
  const lock = openLeadLock(commonDir);
  let led: SessionId | null = null;
  let last: RunContext | null = null;
  const take = async (session: SessionId): Promise<SessionId> => {
    await lock.take(session);
    led = session;
    return session;
  };
  const lead = new LeadSession({
    by,
    events: output.events,
    personInstruction: chatModelInstruction,
    longestWaitMs,
    askPlan: null,
    look: async () => readLeadView(await state.get(), io, led),
    enter: async (begin, isWorking) => {
      const { context: first, store, selected } = await shop.get();
      last ??= first;
      if (!isWorking) last = await last.reload();
      const context = last;
      // From the first acting call on, tasks that are not assigned wait.
      context.run.assigned ??= new Set();
      warnOfLooseLeadAgentRules(context);
      const current = sessionOf(await store.snapshot(), selected, led);
      const isOpen = current !== null && current.state !== 'ended';
      if (isOpen) await take(current.id);
      if (begin === null) return { context, session: requireOpen(current) };
      if (isOpen) return { context, session: joined(current, begin) };
      return { context, session: await take(await beginSession(context, by, begin)) };
    },
    locked: async (session, work) => withSessionLock(await state.get(), session, work),
    // The chat bears its own cost.
    spent: () => ({ cost_usd: 0, tokens: 0 }),
    audit: (report) => auditCall(commonDir, by, report),
    end: () => void lock.release(),
  });
  return {
    lead,
    close: async () => {
      await lead.close();
      await lock.release();
      await Promise.all([shop.close(), state.close()]);
    },
  };
}

/**
 * Keeps open what `open` opens for the time of a callback, until it is closed. Where opening fails, the next caller
 * tries again.
 */
function holdOpen<T>(open: (work: (value: T) => Promise<number>) => Promise<number>) {
  let opened: Promise<T> | null = null;
  let close = async (): Promise<unknown> => undefined;
  const start = (): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const running = open((value) => {
        resolve(value);
        return new Promise<number>((done) => {
          close = () => {
            done(0);
            return running;
          };
        });
      });
      running.catch((error: unknown) => {
        opened = null;
        reject(error);
      });
    });
  return {
    get: () => (opened ??= start()),
    close: async () => {
      await opened?.catch(() => undefined);
      await close();
    },
  };
}

/** The session this chat leads; else the one that is named or current. */
function sessionOf(
  snapshot: Parameters<ReadContext['selected']['pick']>[0],
  selected: ReadContext['selected'],
  led: SessionId | null,
): Session | null {
  const own = snapshot.sessions.find(({ id }) => id === led);
  return own !== undefined && own.state !== 'ended' ? own : selected.pick(snapshot);
}

function requireOpen(session: Session | null): SessionId {
  if (session === null) throw noOpenSessionError();
  if (session.state === 'ended') throw sessionEndedError(session.id);
  return session.id;
}

/** The open session, unless the objective is another one. */
function joined({ id, objective, state }: Session, begin: NewSessionStart): SessionId {
  if (begin.objective === null || begin.objective === objective || state === 'stopped') return id;
  throw leadToolError({
    code: 'session-open',
    message: `Session ${id} is open, for another objective: ${objective.slice(0, 200)}`,
    next: `Leave objective out to add to it. For another objective, the lead first ends it: git flame session end ${id} (or keeps it open: git flame run --new OBJECTIVE)`,
  });
}

async function beginSession(
  context: RunContext,
  leader: AgentId,
  { objective, tasks }: NewSessionStart,
): Promise<SessionId> {
  if (objective === null)
    throw leadToolError({
      code: 'no-objective',
      message: 'No session is open, so create_tasks needs an objective.',
      next: 'create_tasks with an objective',
    });
  // Tasks that can't be proposed start no session.
  const { commit } = await findBaseBranch(context);
  requireValidFirstTasks(await readPlanBoundsAtCommit(context, commit), tasks);
  const base = await requireRunCanStart(context, []);
  const id = context.newSessionId();
  await createSession(context, id, { objective, base, isBeside: false, leader });
  return id;
}

async function readLeadView(reading: ReadContext, io: Io, led: SessionId | null): Promise<LeadReadContext> {
  const root = requireWorkTree(reading.git);
  const { config } = await readConfig(root, reading.configFile);
  await readTrustedDecisions(io, reading);
  reading.store.admitBy({ isOffered: (adapter) => isAdapterOffered(config, 'worker', adapter) });
  const session = sessionOf(await reading.store.snapshot(), reading.selected, led);
  const isThere = session !== null && session.archived_at === undefined;
  return { reading, config, root, view: isThere ? await viewSession(reading, session.id) : null };
}

/** Keeps each call of a chat's model as a line of its audit. */
function auditCall(commonDir: string, by: AgentId, { tool, about, error }: CallReport): void {
  const call = { tool_name: `mcp__flame__${tool}`, tool_input: { pattern: about }, cwd: '' };
  const decision = error === null ? 'allow' : 'block';
  try {
    mkdirSync(agentLogsRoot(commonDir), { recursive: true, mode: 0o700 });
    const audit = openAuditLog(auditFile(commonDir, by), by, () => new Date());
    audit.append(call, { decision, rule: error?.code ?? 'allowed', details: error?.message ?? '' });
    audit.close();
  } catch {
    // Read-only calls work in a repository that can't be written; changes are recorded on the refs.
  }
}
