import { openToolDoor } from '../../cell/run/tool-door.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { decideProposal } from '../../engine/plan/decide-proposal.ts';
import type { LeadDesk, OpenLeadDesk } from '../../engine/queen/queen-wave.ts';
import { sessionEnded } from '../../engine/queen/refusals.ts';
import { viewSession } from '../../engine/record.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { openBackgroundWork } from './background-work.ts';
import type { CallReport, Desk } from './desk.ts';
import { openQueenLock } from './queen-lock.ts';
import { serveTools } from './serve-tools.ts';

/** The orchestrator's own agent is told to wait so long for an answer: a person may have to decide first. */
const longestWaitMs = 3_600_000;
/** How long she may go on talking once all is said, in milliseconds. */
const farewellMs = 60_000;

interface Lead {
  outcome: LeadDesk['outcome'];
  waits: FlameError | null;
  /** Calls that are under way. */
  calls: number;
}

/**
 * The desk of an agent that leads within a run: the run holds the session's lock and asks its person, so that a plan is
 * decided while the call that proposed it waits.
 */
export const openRunDesk: OpenLeadDesk = async ({ workshop, session, by, stop }) => {
  const lead: Lead = { outcome: null, waits: null, calls: 0 };
  const lock = openQueenLock(workshop.git.repository.commonDir);
  await lock.take(session);
  const giveUp = (error: unknown): void => {
    if (!(error instanceof FlameError) || error.kind !== 'waiting') return;
    lead.waits ??= error;
    stop();
  };
  const background = openBackgroundWork((_, work) => work(), giveUp);
  let farewell: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const desk: Desk = {
    by,
    longestWaitMs,
    reported: new Map(),
    work: background,
    begin: () => {
      lead.calls += 1;
    },
    note: (report) => {
      lead.calls -= 1;
      tell(workshop, by, report);
    },
    askPlan: (id) => askPlan(workshop, id, { giveUp, stop }),
    look: async () => ({
      reading: workshop,
      config: workshop.config,
      root: workshop.root,
      view: await viewSession(workshop, session),
    }),
    act: (work) => {
      const acting = {
        workshop,
        requireSession: () => session,
        openSession: async () => session,
        locked: async <T>(_: SessionId, todo: () => Promise<T>) => {
          await background.settle();
          return todo();
        },
      };
      const mine = turn.then(() => {
        if (lead.outcome !== null) throw sessionEnded(session);
        return work(acting);
      });
      turn = mine.catch(() => undefined);
      return mine;
    },
    startWork: (id) => background.start(workshop, id),
    end: (outcome) => {
      lead.outcome = outcome;
      farewell ??= setTimeout(stop, farewellMs);
    },
  };
  const served: { close(): Promise<void> }[] = [];
  return {
    get outcome() {
      return lead.outcome;
    },
    get waits() {
      return lead.waits;
    },
    isBusy: () => lead.calls > 0,
    listen: (path) =>
      openToolDoor(path, (stream) => {
        const warn = (message: string): void =>
          workshop.events.emit({ event: 'notice', level: 'warning', message: `${by}: ${message}` });
        served.push(serveTools({ input: stream, output: stream, desk: async () => desk, warn }));
      }),
    close: async () => {
      clearTimeout(farewell);
      await turn;
      await background.ended;
      await Promise.all(served.map((one) => one.close().catch(() => undefined)));
      await lock.release();
    },
  };
};

/** Where nobody can be asked, or the person wants none of it, nothing more is paid for. */
async function askPlan(
  workshop: Workshop,
  session: SessionId,
  { giveUp, stop }: { giveUp(error: unknown): void; stop(): void },
): Promise<void> {
  try {
    await decideProposal(workshop, session);
  } catch (error) {
    giveUp(error);
    throw error;
  }
  const { session: now } = await viewSession(workshop, session);
  if (now.state !== 'active') stop();
}

/** Each call as an event, with what she has cost so far. */
function tell(
  { events, run }: Pick<Workshop, 'events' | 'run'>,
  agent: string,
  { tool, about, error }: CallReport,
): void {
  const { cost_usd, tokens } = run.ledger.live.get(agent) ?? { cost_usd: 0, tokens: 0 };
  const code = error?.code ?? null;
  events.emit({ event: 'queen-call', agent, tool, about: about.slice(0, 300), code, cost_usd, tokens });
}
