import { openToolDoor } from '../../cell/run/tool-door.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { decideProposal } from '../../engine/plan/decide-proposal.ts';
import type { LeadDesk, OpenLeadDesk } from '../../engine/queen/queen-wave.ts';
import { viewSession } from '../../engine/record.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { type BackgroundWork, openBackgroundWork } from './background-work.ts';
import type { CallReport, Desk } from './desk.ts';
import { openQueenLock } from './queen-lock.ts';
import { serveTools } from './serve-tools.ts';

/** The orchestrator's own agent is told to wait so long for an answer: a person may have to decide first. */
const longestWaitMs = 3_600_000;
/** How long she may go on talking once all is said, in milliseconds. */
const farewellMs = 60_000;

/** Nobody reads what she says but through her tools. */
const tellLead =
  'Only the project lead can mend this, and is told by the reason you fail with; go on with the rest before, if there is any';

type Opened = Parameters<OpenLeadDesk>[0];

/**
 * The desk of an agent that leads within a run: the run holds the session's lock and asks its person, so that a plan is
 * decided while the call that proposed it waits.
 */
export const openRunDesk: OpenLeadDesk = async (opened) => {
  const { workshop, session, by } = opened;
  const lock = openQueenLock(workshop.git.repository.commonDir);
  await lock.take(session);
  const lead = new Lead(opened.stop);
  const background = openBackgroundWork((_, work) => work(), { tellLead, onTrouble: lead.giveUp });
  const turns = inTurn();
  const desk = deskOf(opened, { lead, background, turns });
  const doors = doorsOf(desk, (message) =>
    workshop.events.emit({ event: 'notice', level: 'warning', message: `${by}: ${message}` }),
  );
  return {
    get outcome() {
      return lead.outcome;
    },
    get waits() {
      return lead.waits;
    },
    get isReached() {
      return doors.count() > 0;
    },
    isBusy: () => lead.calls > 0,
    listen: doors.listen,
    close: async () => {
      lead.close();
      await turns.ended();
      await background.ended;
      await doors.close();
      await lock.release();
    },
  };
};

/** How far she is, and when it is time that she ends. */
class Lead {
  outcome: LeadDesk['outcome'] = null;
  waits: FlameError | null = null;
  /** Calls that are under way. */
  calls = 0;
  readonly #stop: () => void;
  #farewell: NodeJS.Timeout | undefined;

  constructor(stop: () => void) {
    this.#stop = stop;
  }

  readonly stop = (): void => this.#stop();

  /** Where only a person could go on and nobody is there, nothing more is paid for. */
  readonly giveUp = (error: unknown): void => {
    if (!(error instanceof FlameError) || error.kind !== 'waiting') return;
    this.waits ??= error;
    this.#stop();
  };

  end(outcome: 'completed' | 'failed'): void {
    this.outcome = outcome;
    this.#farewell ??= setTimeout(this.#stop, farewellMs);
  }

  close(): void {
    clearTimeout(this.#farewell);
  }
}

interface Turns {
  /** Does it once what was asked before is done. */
  take<T>(work: () => Promise<T>): Promise<T>;
  ended(): Promise<unknown>;
}

function inTurn(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    take: (work) => {
      const mine = last.then(work);
      last = mine.catch(() => undefined);
      return mine;
    },
    ended: () => last,
  };
}

interface DeskParts {
  readonly lead: Lead;
  readonly background: BackgroundWork;
  readonly turns: Turns;
}

function deskOf({ workshop, session, by }: Opened, { lead, background, turns }: DeskParts): Desk {
  const acting = {
    workshop,
    requireSession: () => session,
    openSession: async () => session,
    locked: async <T>(_: SessionId, todo: () => Promise<T>) => {
      await background.settle();
      return todo();
    },
  };
  return {
    by,
    tellLead,
    longestWaitMs,
    reported: new Map(),
    idle: { waits: 0, giveUp: () => stopIdle({ workshop, by }, lead) },
    work: background,
    begin: () => {
      lead.calls += 1;
    },
    note: (report) => {
      lead.calls -= 1;
      tell(workshop, by, report);
    },
    askPlan: (id) => askPlan(workshop, id, lead),
    isAppointed: true,
    look: async () => ({
      reading: workshop,
      config: workshop.config,
      root: workshop.root,
      view: await viewSession(workshop, session),
    }),
    act: (work) => turns.take(() => work(acting)),
    startWork: (id) => background.start(workshop, id),
    end: (outcome) => lead.end(outcome),
  };
}

/** What only waits for nothing is paid for no longer. */
function stopIdle({ workshop, by }: Pick<Opened, 'workshop' | 'by'>, { stop }: Pick<Lead, 'stop'>): void {
  const message = `${by} is ended: she waits, over and over, for what can't come.`;
  workshop.events.emit({ event: 'notice', level: 'warning', message });
  stop();
}

interface Doors {
  listen: LeadDesk['listen'];
  /** How often somebody came in. */
  count(): number;
  close(): Promise<void>;
}

function doorsOf(desk: Desk, warn: (message: string) => void): Doors {
  const served: { close(): Promise<void> }[] = [];
  return {
    listen: (path) =>
      openToolDoor(path, (stream) => {
        served.push(serveTools({ input: stream, output: stream, desk: async () => desk, warn }));
      }),
    count: () => served.length,
    close: async () => {
      await Promise.all(served.map((one) => one.close().catch(() => undefined)));
    },
  };
}

/** Where nobody can be asked, or the person wants none of it, nothing more is paid for. */
async function askPlan(
  workshop: Workshop,
  session: SessionId,
  { giveUp, stop }: Pick<Lead, 'giveUp' | 'stop'>,
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
