import { randomBytes } from 'node:crypto';
import { getAdapter } from '../../agents/get-adapter.ts';
import { createPromptRenderer } from '../../agents/prompt-renderer.ts';
import { createAgentRunner } from '../../cell/agent-runner.ts';
import { isAdapterOffered } from '../../domain/config/role-adapter-and-model.ts';
import { parseAgentId, parseSessionId } from '../../domain/ids.ts';
import type { AgentRunner } from '../../domain/ports/agent-port.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { RunEventBody, RunEventSink, WarningEnd } from '../../domain/view-models/run-event.ts';
import { createGracefulStop, type GracefulStop } from '../../engine/graceful-stop.ts';
import { type MachinePort, type RunContext, warnOnce } from '../../engine/run-context.ts';
import { createRunMemory, type RunMemory } from '../../engine/run-memory.ts';
import { rememberConnectedChats } from '../../trust/chat-processes.ts';
import { machineName } from '../../trust/clone-key.ts';
import { logOutputInView } from '../../ui/live/live-output.ts';
import type { LiveView } from '../../ui/live/live-view.ts';
import { QuestionQueue } from '../../ui/questions/question-queue.ts';
import { describePredictedConflict } from '../../ui/render/render-predicted-conflicts.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { randomName } from '../../util/short-names.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { runUnderCloneLock } from '../context/session-lock.ts';
import { openTrialCache } from '../context/waits-and-conflicts.ts';
import { openMemory } from '../memory/open-memory.ts';
import { openQuestionSocket } from '../questions/question-socket.ts';
import { guardAgents, guardMachine, guardPrompts, warnOfIgnoredVariables } from './guarded-ports.ts';
import { createMachine } from './machine-port.ts';
import { openLive } from './open-command-live-view.ts';
import { openGates, openUnappliedAnswerStore } from './open-gates.ts';
import type { PreparedRepository } from './prepare-for-work.ts';
import { createReviewPageOpener, type ReviewPageOpener } from './review-page-opener.ts';
import {
  buildRunnerOptions,
  type CurrentConfig,
  isSameConfig,
  listConfigChanges,
  openCurrentConfig,
  readRunConfig,
  saveConfig,
} from './run-config.ts';

interface Built {
  readonly context: RunContext;
  /** Leaves room for the live view, where there is one. */
  readonly output: Output;
  readonly page: ReviewPageOpener;
  readonly queue: QuestionQueue;
  /** Agents still running are ended. */
  close(): Promise<void>;
}

/** Puts the parts together that a repository made ready is worked in with. */
export async function buildRunContext(ready: PreparedRepository, io: Io): Promise<Built> {
  const { reading, trust } = ready;
  const current = openCurrentConfig(ready.loaded, (config) =>
    guardAgents(createAgentRunner(buildRunnerOptions(reading.git, config, io)), trust),
  );
  const gracefulStop = createGracefulStop();
  const live = await openLive(io, { reading, gracefulStop, current });
  const output = live === null ? reading.output : logOutputInView(reading.output, live);
  const machine = guardMachine(createMachine(io.env), trust);
  const page = createReviewPageOpener(io, reading);
  const queue = new QuestionQueue(
    openUnappliedAnswerStore({ commonDir: reading.git.repository.commonDir, env: io.env }),
  );
  const door = holdDoor(reading, io, queue);
  const gates = await openGates(io, {
    ...ready,
    reading: { ...reading, output },
    current,
    machine,
    page,
    queue,
    live,
    listen: door.listen,
  });
  const events = observed(output.events, { page, queue, reading });
  const run = createRunMemory();
  const bench = { ready, io, current, gracefulStop, run, live, machine, gates, events };
  return {
    context: assemble(bench, reading.decided),
    output,
    page,
    queue,
    close: async () => {
      await live?.close();
      await Promise.all([current.close(), page.close(), door.close()]);
      queue.forget();
    },
  };
}

/** Interval of looking for connected chats, in milliseconds. */
const lookMs = 5_000;

/**
 * A way in for boards of other processes, opened when something is asked; without one the question is asked all the same.
 * A chat that was there once gives no answer, even once what named it is gone.
 */
function holdDoor(
  { git, output }: Pick<ReadContext, 'git' | 'output'>,
  { env }: Io,
  queue: QuestionQueue,
): { readonly listen: () => Promise<void>; readonly close: () => Promise<void> } {
  const { commonDir } = git.repository;
  const looking = setInterval(() => rememberConnectedChats({ commonDir, env }), lookMs).unref();
  let opening: Promise<{ close(): Promise<void> } | null> | null = null;
  const open = (): Promise<{ close(): Promise<void> } | null> =>
    openQuestionSocket({ commonDir, env, line: queue }).catch((error: Error) => {
      const message = `Other processes can't answer questions of this run: ${error.message}`;
      output.events.emit({ event: 'notice', level: 'warning', message });
      return null;
    });
  return {
    listen: async () => {
      opening ??= open();
      await opening;
    },
    close: async () => {
      clearInterval(looking);
      await (await opening)?.close();
    },
  };
}

/** The parts that stay while configurations are replaced, and the one that holds those. */
interface Bench {
  readonly ready: PreparedRepository;
  readonly io: Io;
  readonly current: CurrentConfig;
  readonly gracefulStop: GracefulStop;
  readonly run: RunMemory;
  readonly live: LiveView | null;
  readonly machine: MachinePort;
  readonly gates: Gates;
  readonly events: RunEventSink;
}

/** The workshop by what is current. */
function assemble(bench: Bench, decided: DecisionLog): RunContext {
  const { ready, io, current, live, machine, gates, events } = bench;
  const { git, store } = ready.reading;
  const { loaded } = current;
  const { config, digest, permissionRequest } = loaded;
  const { commonDir } = git.repository;
  store.admitBy({ isOffered: (adapter) => isAdapterOffered(config, 'worker', adapter) });
  const prompts = createPromptRenderer({ config, overrides: permissionRequest.content.templates });
  const signal = io.signal ?? new AbortController().signal;
  const context: RunContext = {
    config,
    configDigest: digest,
    configChanges: (from) => listConfigChanges(commonDir, from, loaded),
    reload: () => reload(bench, context),
    git,
    store,
    agents: warnOfIgnoredVariables(leavingTerminal(current.agents, live), {
      env: io.env,
      config,
      adapter: (name) => getAdapter(name, config),
      warn: (message) => warnOnce({ events, run: bench.run }, message),
    }),
    gates,
    events,
    prompts: guardPrompts(prompts, ready.trust),
    machine,
    gracefulStop: bench.gracefulStop,
    run: bench.run,
    proofs: new Map(),
    adapter: (name) => getAdapter(name, config),
    now: () => new Date(),
    random: Math.random,
    newAgentId: (role) => parseAgentId(randomName(role)),
    newSessionId: () => parseSessionId(`ses-${compactTime(new Date())}-${randomBytes(2).toString('hex')}`),
    memory: openMemory(config, ready.reading, {
      io,
      root: ready.root,
      onTrouble: (why) =>
        warnOnce({ events, run: bench.run }, `Beads can't be used, so memory is kept in git notes: ${why}.`),
    }),
    signal,
    // Two sessions would each take what the other is just bringing into a checked-out base for the person's changes.
    landInTurn: (work) => runUnderCloneLock({ commonDir, name: 'landing', signal }, work),
    place: machineName({ env: io.env, commonDir }),
    trialCache: openTrialCache(commonDir),
    decided,
    root: ready.root,
  };
  return context;
}

/** Reloads the configuration; returns the same workshop where it hasn't changed. */
async function reload(bench: Bench, context: RunContext): Promise<RunContext> {
  const { ready, io, current, live } = bench;
  const now = await readRunConfig(ready, io, () => live?.lend() ?? (() => undefined));
  if (isSameConfig(now, current.loaded)) return context;
  await saveConfig(ready.reading.git.repository.commonDir, now);
  const decided = await ready.recount();
  current.replace(now);
  return assemble(bench, decided);
}

/** An agent that talks with the person has the terminal to itself. */
function leavingTerminal(agents: AgentRunner, live: LiveView | null): AgentRunner {
  if (live === null) return agents;
  return {
    ...agents,
    start: async (request, onActivity, shared) => {
      if (!request.isInteractive) return agents.start(request, onActivity, shared);
      const goOn = live.lend();
      const agent = await agents.start(request, onActivity, shared).catch((error: unknown) => {
        goOn();
        throw error;
      });
      agent.outcome.then(goOn, goOn);
      return agent;
    },
  };
}

interface Observers {
  readonly page: ReviewPageOpener;
  readonly queue: QuestionQueue;
  readonly reading: Pick<ReadContext, 'shown' | 'commandLine'>;
}

/** Events as they are; page and queue follow them, and a changeset they print was shown to the person. */
function observed(events: RunEventSink, { page, queue, reading: { shown, commandLine } }: Observers): RunEventSink {
  return {
    emit: (event) => {
      events.emit(event);
      page.refresh();
      if (event.event === 'notice' && event.level === 'warning') queue.warn(event.message, event.until);
      queue.settle(endOf(event));
      if (event.event === 'conflicts-ahead') queue.warnAhead(event.found.map(describePredictedConflict));
      const isPrinted = event.event === 'changeset-built' && (event.red || !commandLine.isQuiet);
      if (isPrinted) shown.recordSeen(event.session, [{ id: event.changeset, commit: event.commit }]);
    },
  };
}

/** Which warnings are over with an event; null: none are. */
function endOf(event: RunEventBody): WarningEnd | null {
  if (event.event === 'gate') return event.gate === 'budget' ? 'budget-decided' : null;
  return event.event === 'verdict' || event.event === 'task-changed' ? `judged ${event.task}` : null;
}

/** `20260206-143022`, UTC. */
function compactTime(date: Date): string {
  return date.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
