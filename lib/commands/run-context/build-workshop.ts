import { randomBytes } from 'node:crypto';
import { getAdapter } from '../../agents/get-adapter.ts';
import { createPromptRenderer } from '../../agents/prompt-renderer.ts';
import { createAgentRunner } from '../../cell/agent-runner.ts';
import { isOffered } from '../../domain/config/role-settings.ts';
import { parseAgentId, parseSessionId } from '../../domain/ids.ts';
import type { AgentRunner } from '../../domain/ports/agent-port.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { EventBody, EventSink, NoticeEnd } from '../../domain/view-models/event.ts';
import { createWindDown, type WindDown } from '../../engine/interrupted.ts';
import { type MachinePort, tellOnce, type Workshop } from '../../engine/run-context.ts';
import { createRunMemory, type RunMemory } from '../../engine/run-memory.ts';
import { rememberChats } from '../../trust/chats.ts';
import { machineName } from '../../trust/clone-key.ts';
import { liveOutput } from '../../ui/live/live-output.ts';
import type { LiveView } from '../../ui/live/live-view.ts';
import { QuestionQueue } from '../../ui/questions/question-queue.ts';
import { describeConflict } from '../../ui/render/render-ahead.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { randomName } from '../../util/short-names.ts';
import type { Reading } from '../context/read-state.ts';
import { waitForLock } from '../context/session-lock.ts';
import { triedBefore } from '../context/waits-and-conflicts.ts';
import { openMemory } from '../memory/open-memory.ts';
import { openGateDoor } from '../questions/gate-door.ts';
import { guardedAgents, guardedMachine, guardedPrompts, tellIgnored } from './guarded-ports.ts';
import { createMachine } from './machine.ts';
import type { Ready } from './make-ready.ts';
import { keepAnswers, openGates } from './open-gates.ts';
import { openLive } from './open-live.ts';
import { type HeldPage, holdReviewPage } from './review-page.ts';
import {
  type Current,
  configChanges,
  isSameConfig,
  keepConfig,
  openCurrent,
  readRunConfig,
  runnerOptions,
} from './run-config.ts';

interface Built {
  readonly workshop: Workshop;
  /** Leaves room for the live view, where there is one. */
  readonly output: Output;
  readonly page: HeldPage;
  readonly queue: QuestionQueue;
  /** Agents still running are ended. */
  close(): Promise<void>;
}

/** Puts the parts together that a repository made ready is worked in with. */
export async function buildWorkshop(ready: Ready, io: Io): Promise<Built> {
  const { reading, trust } = ready;
  const current = openCurrent(ready.loaded, (config) =>
    guardedAgents(createAgentRunner(runnerOptions(reading.git, config, io)), trust),
  );
  const windDown = createWindDown();
  const live = await openLive(io, { reading, windDown, current });
  const output = live === null ? reading.output : liveOutput(reading.output, live);
  const machine = guardedMachine(createMachine(io.env), trust);
  const page = holdReviewPage(io, reading);
  const queue = new QuestionQueue(keepAnswers({ commonDir: reading.git.repository.commonDir, env: io.env }));
  const door = holdDoor(reading, io, queue);
  const gates = await openGates(io, {
    ...ready,
    reading: { ...reading, output },
    current,
    machine,
    page,
    queue,
    live,
    letIn: door.letIn,
  });
  const events = observed(output.events, { page, queue, reading });
  const run = createRunMemory();
  const bench = { ready, io, current, windDown, run, live, machine, gates, events };
  return {
    workshop: assemble(bench, reading.decided),
    output,
    page,
    queue,
    close: async () => {
      live?.close();
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
  { git, output }: Pick<Reading, 'git' | 'output'>,
  { env }: Io,
  queue: QuestionQueue,
): { readonly letIn: () => Promise<void>; readonly close: () => Promise<void> } {
  const { commonDir } = git.repository;
  const looking = setInterval(() => rememberChats({ commonDir, env }), lookMs).unref();
  let opening: Promise<{ close(): Promise<void> } | null> | null = null;
  const open = (): Promise<{ close(): Promise<void> } | null> =>
    openGateDoor({ commonDir, env, line: queue }).catch((error: Error) => {
      const message = `Boards of other processes can't answer here: ${error.message}`;
      output.events.emit({ event: 'notice', level: 'warning', message });
      return null;
    });
  return {
    letIn: async () => {
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
  readonly ready: Ready;
  readonly io: Io;
  readonly current: Current;
  readonly windDown: WindDown;
  readonly run: RunMemory;
  readonly live: LiveView | null;
  readonly machine: MachinePort;
  readonly gates: Gates;
  readonly events: EventSink;
}

/** The workshop by what is current. */
function assemble(bench: Bench, decided: DecisionLog): Workshop {
  const { ready, io, current, live, machine, gates, events } = bench;
  const { git, store } = ready.reading;
  const { loaded } = current;
  const { config, digest, asked } = loaded;
  const { commonDir } = git.repository;
  store.admitBy({ isOffered: (adapter) => isOffered(config, 'worker', adapter) });
  const prompts = createPromptRenderer({ config, overrides: asked.content.templates });
  const signal = io.signal ?? new AbortController().signal;
  const workshop: Workshop = {
    config,
    configDigest: digest,
    configChanges: (from) => configChanges(commonDir, from, loaded),
    reload: () => reload(bench, workshop),
    git,
    store,
    agents: tellIgnored(leavingTerminal(current.agents, live), {
      env: io.env,
      config,
      adapter: (name) => getAdapter(name, config),
      warn: (message) => tellOnce({ events, run: bench.run }, message),
    }),
    gates,
    events,
    prompts: guardedPrompts(prompts, ready.trust),
    machine,
    windDown: bench.windDown,
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
        tellOnce({ events, run: bench.run }, `Beads can't be used, memory is kept in git notes: ${why}.`),
    }),
    signal,
    // Two sessions would each take what the other is just bringing into a checked-out base for the person's changes.
    landInTurn: (work) => waitForLock({ commonDir, name: 'landing', signal }, work),
    place: machineName({ env: io.env, commonDir }),
    tried: triedBefore(commonDir),
    decided,
    root: ready.root,
  };
  return workshop;
}

/** Reloads the configuration; returns the same workshop where it hasn't changed. */
async function reload(bench: Bench, workshop: Workshop): Promise<Workshop> {
  const { ready, io, current, live } = bench;
  const now = await readRunConfig(ready, io, () => live?.pause() ?? (() => undefined));
  if (isSameConfig(now, current.loaded)) return workshop;
  await keepConfig(ready.reading.git.repository.commonDir, now);
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
      const goOn = live.pause();
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
  readonly page: HeldPage;
  readonly queue: QuestionQueue;
  readonly reading: Pick<Reading, 'shown' | 'wishes'>;
}

/** Events as they are; page and queue follow them, and a changeset they print was shown to the person. */
function observed(events: EventSink, { page, queue, reading: { shown, wishes } }: Observers): EventSink {
  return {
    emit: (event) => {
      events.emit(event);
      page.refresh();
      if (event.event === 'notice' && event.level === 'warning') queue.warn(event.message, event.until);
      queue.settle(endOf(event));
      if (event.event === 'conflicts-ahead') queue.warnAhead(event.found.map(describeConflict));
      const isPrinted = event.event === 'changeset-built' && (event.red || !wishes.isQuiet);
      if (isPrinted) shown.note(event.session, [{ id: event.changeset, commit: event.commit }]);
    },
  };
}

/** Which warnings are over with an event; null: none are. */
function endOf(event: EventBody): NoticeEnd | null {
  if (event.event === 'gate') return event.gate === 'budget' ? 'budget-decided' : null;
  return event.event === 'verdict' || event.event === 'task-changed' ? `judged ${event.task}` : null;
}

/** `20260206-143022`, UTC. */
function compactTime(date: Date): string {
  return date.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
