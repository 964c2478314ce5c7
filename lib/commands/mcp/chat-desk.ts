import type { AgentId, SessionId } from '../../domain/ids.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Session } from '../../domain/state/session.ts';
import { readBounds } from '../../engine/plan-problems.ts';
import { requireSoundTasks } from '../../engine/queen/propose-tasks.ts';
import { noSessionYet, refusal, sessionEnded } from '../../engine/queen/refusals.ts';
import { tellLeft } from '../../engine/queen/tell-left.ts';
import { viewSession } from '../../engine/record.ts';
import { createSession } from '../../engine/session/create-session.ts';
import { findBase, preflight } from '../../engine/work/preflight.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { type Opened, withWorkshop } from '../open/open-workshop.ts';
import { readConfig, requireWorkTree } from '../open/read-config.ts';
import { type Reading, withState } from '../open/read-state.ts';
import { readCounting } from '../open/signed-decisions.ts';
import { withSessionLock } from '../open/with-session-lock.ts';
import { openBackgroundWork } from './background-work.ts';
import { callLog } from './call-log.ts';
import { type Acting, type Desk, type DeskView, tellInChat } from './desk.ts';
import { holdOpen } from './held.ts';
import { openQueenLock } from './queen-lock.ts';

/** Clients take a call that lasts longer for a failure. */
const longestWaitMs = 45_000;

export interface ChatDesk extends Desk {
  /** Ends agents that run, gives their tasks back, and closes what was opened. */
  close(): Promise<void>;
}

interface ChatParts {
  readonly args: CommandArgs;
  readonly io: Io;
  readonly by: AgentId;
}

/**
 * The desk of a person's own chat. Nothing is opened before it is asked for, nothing is locked before something is
 * changed, and the session's lock is held only while agents run, so that the person's own commands find it free.
 */
export async function openChatDesk({ args, io, by }: ChatParts): Promise<ChatDesk> {
  const state = holdOpen<Reading>((work) => withState(args, io, work));
  const shop = holdOpen<Opened>((work) => withWorkshop(args, io, work));
  const { git, output } = await state.get();
  const { commonDir } = git.repository;
  const lock = openQueenLock(commonDir);
  const note = callLog({ by, commonDir, events: output.events });
  const locked: Acting['locked'] = async (session, work) => withSessionLock(await state.get(), session, work);
  const background = openBackgroundWork(locked, { tellLead: tellInChat });
  const led: { session: SessionId | null } = { session: null };
  let turn: Promise<unknown> = Promise.resolve();

  const act = async <T>(work: (acting: Acting) => Promise<T>): Promise<T> => {
    const { workshop: first, store, meant } = await shop.get();
    // Agents that run go on by what held when they were started.
    const workshop = background.isRunning ? first : await first.reload();
    // Whatever is not assigned waits, from the first acting call on.
    workshop.run.assigned ??= new Set();
    tellLeft(workshop);
    const current = sessionOf(await store.snapshot(), meant, led.session);
    if (current !== null && current.state !== 'ended') await lead(current.id);
    return work({
      workshop,
      requireSession: () => requireOpen(current),
      openSession: (objective, tasks) => openSession(workshop, current, { objective, tasks, by, lead }),
      locked: async (session, todo) => {
        await background.settle();
        return locked(session, todo);
      },
    });
  };
  const lead = async (session: SessionId): Promise<void> => {
    await lock.take(session);
    led.session = session;
  };
  return {
    by,
    tellLead: tellInChat,
    longestWaitMs,
    reported: new Map(),
    idle: { waits: 0, giveUp: () => undefined },
    work: background,
    askPlan: null,
    isAppointed: false,
    look: async () => lookAt(await state.get(), io, led.session),
    act: (work) => {
      const mine = turn.then(() => act(work));
      turn = mine.catch(() => undefined);
      return mine;
    },
    startWork: (session) => void shop.get().then(({ workshop }) => background.start(workshop, session)),
    begin: () => undefined,
    note,
    end: () => void lock.release(),
    close: async () => {
      await turn;
      await background.ended;
      await lock.release();
      await Promise.all([shop.close(), state.close()]);
    },
  };
}

type Sessions = Parameters<Reading['meant']['pick']>[0];

/** The session this chat leads; else the one that is named or current. */
function sessionOf(snapshot: Sessions, meant: Reading['meant'], led: SessionId | null): Session | null {
  const own = snapshot.sessions.find(({ id }) => id === led);
  return own !== undefined && own.state !== 'ended' ? own : meant.pick(snapshot);
}

function requireOpen(session: Session | null): SessionId {
  if (session === null) throw noSessionYet();
  if (session.state === 'ended') throw sessionEnded(session.id);
  return session.id;
}

async function openSession(
  workshop: Workshop,
  current: Session | null,
  {
    objective,
    tasks,
    by,
    lead,
  }: {
    readonly objective: string | null;
    readonly tasks: readonly PlannedTask[];
    readonly by: AgentId;
    lead(session: SessionId): Promise<void>;
  },
): Promise<SessionId> {
  if (current !== null && current.state !== 'ended') {
    if (objective === null || objective === current.objective || current.state === 'stopped')
      return current.id;
    throw refusal({
      code: 'session-open',
      message: `Session ${current.id} is open, for another objective: ${current.objective.slice(0, 200)}`,
      next: `Leave objective out to add to it; before another one the lead ends it with: git flame session end ${current.id} (or leaves it as it is: git flame run --new OBJECTIVE)`,
    });
  }
  if (objective === null)
    throw refusal({
      code: 'no-objective',
      message: 'No session is open, so create_tasks needs to know what it is all for.',
      next: 'create_tasks with an objective',
    });
  // What can't be proposed begins nothing.
  const { commit } = await findBase(workshop);
  requireSoundTasks(await readBounds(workshop, commit), tasks);
  const base = await preflight(workshop, []);
  const id = workshop.newSessionId();
  await createSession(workshop, id, { objective, base, isBeside: false, leader: by });
  await lead(id);
  return id;
}

async function lookAt(reading: Reading, io: Io, led: SessionId | null): Promise<DeskView> {
  const root = requireWorkTree(reading.git);
  const { config } = await readConfig(root, reading.configFile);
  const { origins } = await readCounting(io, reading);
  const session = sessionOf(await reading.store.snapshot(), reading.meant, led);
  const view =
    session === null || session.archived_at !== undefined
      ? null
      : await viewSession({ config, origins, store: reading.store }, session.id);
  return { reading, config, root, view };
}
