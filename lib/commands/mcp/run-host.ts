import { createServer } from 'node:net';
import { listenOn } from '../../cell/gateway/listen-on.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { LeadToolServer, OpenLeadTools } from '../../engine/lead-agent/run-lead-agent.ts';
import { askAboutProposedPlan } from '../../engine/plan/plan-wave.ts';
import { viewSession } from '../../engine/record-changes.ts';
import { LeadSession, openLeadLock } from './lead-session.ts';
import { serveTools } from './tool-server.ts';

/** The orchestrator configures the agent's client to wait so long for an answer: a person may have to decide first. */
const longestWaitMs = 3_600_000;
/** The longest time an agent may run after it has handed over or given up, in milliseconds. */
const farewellMs = 60_000;

/** The person reads nothing but what its tools report. */
const personInstruction =
  'Only the project lead can fix this, and reads the reason you give to fail; first finish the other tasks, if any are left';

/**
 * The tools of an agent that leads within a run: the run holds the session's lock and asks its person, so that a plan is
 * decided while the call that proposed it waits.
 */
export const openLeadToolsInRun: OpenLeadTools = async ({ context, session, by, stop }) => {
  const { events, git, run } = context;
  const lock = openLeadLock(git.repository.commonDir);
  await lock.take(session);
  const warn = (message: string): void => events.emit({ event: 'notice', level: 'warning', message });
  const served: { close(): Promise<void> }[] = [];
  let outcome: LeadToolServer['outcome'] = null;
  let waits: FlameError | null = null;
  let farewell: NodeJS.Timeout | undefined;
  /** Stops the agent where only an absent person could continue: nothing more is paid for. */
  const onTrouble = (error: unknown): void => {
    if (error instanceof FlameError && error.kind === 'waiting') {
      waits ??= error;
      stop();
    }
  };
  const lead = new LeadSession({
    by,
    events,
    personInstruction,
    longestWaitMs,
    onTrouble,
    look: async () => {
      const { config, root } = context;
      return { reading: context, config, root, view: await viewSession(context, session) };
    },
    enter: async () => ({ context, session }),
    locked: (_, work) => work(),
    spent: () => {
      const { cost_usd, tokens } = run.ledger.live.get(by) ?? { cost_usd: 0, tokens: 0 };
      return { cost_usd, tokens };
    },
    askPlan: async () => {
      await askAboutProposedPlan(context, session).catch((error: unknown) => {
        onTrouble(error);
        throw error;
      });
      if ((await viewSession(context, session)).session.state !== 'active') stop();
    },
    end: (how) => {
      if (how !== 'idle') {
        outcome = how;
        farewell ??= setTimeout(stop, farewellMs);
        return;
      }
      warn(`${by} was stopped: it kept waiting for something that can't happen.`);
      stop();
    },
  });
  return {
    get outcome() {
      return outcome;
    },
    get waits() {
      return waits;
    },
    get isReached() {
      return served.length > 0;
    },
    isBusy: () => lead.calls > 0,
    listen: (path) => {
      const at = { lead: async () => lead, warn: (message: string) => warn(`${by}: ${message}`) };
      const server = createServer((stream) => {
        // A stream that breaks off is reported by the end of its agent.
        stream.on('error', () => stream.destroy());
        served.push(serveTools({ ...at, input: stream, output: stream }));
      });
      // The socket is mounted into the agent's cell alone: its path is all the proof of who calls.
      return listenOn(server, path);
    },
    close: async () => {
      clearTimeout(farewell);
      await lead.close();
      await Promise.all(served.map((one) => one.close().catch(() => undefined)));
      await lock.release();
    },
  };
};
