import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { getAdapter } from '../../agents/get-adapter.ts';
import { createPromptRenderer } from '../../agents/prompt-renderer.ts';
import { resolveSuperpowers } from '../../agents/resolve-superpowers.ts';
import { createAgentRunner } from '../../cell/agent-runner.ts';
import { readSpending } from '../../cell/run/agent-registry.ts';
import { endStaleRun, listStaleRuns, removeStaleCanaries } from '../../cell/run/stale-runs.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Config } from '../../domain/config/config.ts';
import { parseAgentId, parseSessionId } from '../../domain/ids.ts';
import type { Gates } from '../../domain/ports/gates.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { EventBody, EventSink } from '../../domain/shown/event.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { Origins } from '../../domain/state/origins.ts';
import { createWindDown, type WindDown } from '../../engine/wind-down.ts';
import { bookKilled } from '../../engine/work/book-killed.ts';
import type { Workshop } from '../../engine/workshop.ts';
import { finishMotions } from '../../git/refs/finish-motions.ts';
import { prepareRepository } from '../../git/setup/prepare-repository.ts';
import { liveOutput } from '../../ui/live/live-output.ts';
import type { LiveView } from '../../ui/live/live-view.ts';
import { cloneName } from '../../util/clone-name.ts';
import { removeDeadLocks } from '../../util/owned-lock.ts';
import { packageRoot } from '../../util/package-root.ts';
import { guardedAgents, guardedMachine, guardedPrompts } from './guarded-ports.ts';
import { configChanges, keepConfig } from './kept-configs.ts';
import { withLandingLock } from './landing-lock.ts';
import { createMachine } from './machine.ts';
import { openGates } from './open-gates.ts';
import { openLive } from './open-live.ts';
import { openMemory } from './open-memory.ts';
import { readConfig, requireWorkTree } from './read-config.ts';
import { type Reading, withState } from './read-state.ts';
import { type Asked, openTrustDesk, readAsked, type TrustDesk } from './repository-trust.ts';
import { requireSoundState } from './require-sound-state.ts';
import { holdReviewPage } from './review-page.ts';
import { readCounting } from './signed-decisions.ts';
import { triedBefore } from './tried-before.ts';

export interface Opened extends Reading {
  readonly workshop: Workshop;
  readonly config: Config;
}

/** Opens everything a command that works needs, for the time of `work`; agents still running are ended afterwards. */
export function withWorkshop(
  args: CommandArgs,
  io: Io,
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  return withState(args, io, async (opened) => {
    const root = requireWorkTree(opened.git);
    await requireSoundState(opened, { cwd: root, env: io.env });
    const trust = openTrustDesk(args, io, opened);
    const loaded = await readRunConfig(args, io, { reading: opened, root, trust });
    // Who is named counts once that is allowed.
    const reading = { ...opened, origins: (await readCounting(args, io, opened)).origins };
    for (const warning of loaded.warnings) reading.output.warn(warning);
    const { repository } = reading.git;
    if (!args.globals.dryRun) await makeReady(reading, io, root, loaded.config);
    if (!args.globals.dryRun) await keepConfig(repository.commonDir, loaded);
    const runners: { readonly agents: Workshop['agents']; readonly config: Config }[] = [];
    const configNow = (): Config => runners.at(-1)?.config ?? loaded.config;
    const windDown = createWindDown();
    const live = await openLive(args, io, {
      ...{ reading, windDown },
      stop: async (agent, retry) => {
        await runners.at(-1)?.agents.stop(agent, { by: await reading.git.identity(), retry });
      },
      config: configNow,
    });
    const told = live === null ? reading : { ...reading, output: liveOutput(reading.output, live) };
    const machine = guardedMachine(createMachine(io.env), trust);
    const page = holdReviewPage(args, io, reading);
    const gateParts = { reading: told, root, machine, config: configNow, page, live };
    const gates = await openGates(args, io, gateParts);
    const events = observed(told.output.events, (event) => {
      page.refresh();
      const isPrinted = event.event === 'changeset-built' && (event.red || !args.globals.quiet);
      if (isPrinted) reading.shown.note(event.session, [{ id: event.changeset, commit: event.commit }]);
    });
    const build = (by: RunConfig, origins: Origins): Workshop => {
      const agents = guardedAgents(leavingTerminal(openAgents(reading, by, io), live), trust);
      runners.push({ agents, config: by.config });
      const reload = async (): Promise<Workshop> => {
        const now = await readRunConfig(args, io, { reading, root, trust, live });
        if (now.digest === by.digest && now.asked.content.digest === by.asked.content.digest) return workshop;
        await keepConfig(repository.commonDir, now);
        return build(now, (await readCounting(args, io, opened)).origins);
      };
      const workshop: Workshop = {
        ...assemble({
          reading: { ...told, origins },
          loaded: by,
          agents,
          gates,
          events,
          machine,
          windDown,
          root,
          io,
          trust,
        }),
        reload,
      };
      return workshop;
    };
    try {
      return await work({ ...told, workshop: build(loaded, reading.origins), config: loaded.config });
    } finally {
      live?.close();
      await Promise.all([...runners.map(({ agents }) => agents.close()), page.close()]);
    }
  });
}

/** An agent that talks with the person has the terminal to itself. */
function leavingTerminal(agents: Workshop['agents'], live: LiveView | null): Workshop['agents'] {
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

function openAgents({ git }: Reading, { config }: LoadedConfig, io: Io): Workshop['agents'] {
  return createAgentRunner({
    config,
    repository: git.repository,
    env: io.env,
    adapters: (name) => getAdapter(name, config),
    distDir: join(packageRoot(), 'dist'),
    now: () => new Date(),
    signal: io.signal,
    hurry: io.hurry,
  });
}

/** Passes events on as they are, and calls `onEvent` with each. */
function observed(events: EventSink, onEvent: (event: EventBody) => void): EventSink {
  return {
    emit: (body) => {
      events.emit(body);
      onEvent(body);
    },
  };
}

/** Clears what a killed run left in run-time folders, and sets git up to ignore worktrees and show reviews. */
async function makeReady(
  { git, output, store }: Reading,
  io: Io,
  root: string,
  config: Config,
): Promise<void> {
  const { commonDir } = git.repository;
  removeStaleCanaries();
  for (const folder of ['', 'blueflame', 'blueflame/locks']) removeDeadLocks(join(commonDir, folder));
  const finished = await finishMotions({ cwd: root, env: io.env }, commonDir);
  if (finished.length > 0) {
    const message = 'Finished what a killed git had begun.';
    output.events.emit({ event: 'notice', level: 'info', message, details: finished });
  }
  await clearRuns({ git, store, output }, commonDir);
  await git.recoverCells();
  await prepareRepository({ cwd: root, env: io.env }, commonDir, config.project.worktree_dir);
}

/** What agents of killed runs had spent is booked, what still runs of them is ended. */
async function clearRuns(
  { git, output, store }: Pick<Reading, 'git' | 'output' | 'store'>,
  commonDir: string,
): Promise<void> {
  const now = new Date();
  const orphans: string[] = [];
  for (const folder of listStaleRuns(commonDir, now)) {
    const spent = readSpending(folder, now);
    if (spent !== null) await bookKilled(store, await git.identity(), spent);
    if (await endStaleRun(folder)) orphans.push(basename(folder));
  }
  if (orphans.length === 0) return;
  const message = `Ended what a killed run had left running: ${orphans.join(', ')}.`;
  output.events.emit({ event: 'notice', level: 'warning', message });
}

/** A configuration that was allowed, with what it asks for. */
interface RunConfig extends LoadedConfig {
  readonly asked: Asked;
}

interface RunConfigParts {
  readonly reading: Reading;
  readonly root: string;
  readonly trust: TrustDesk;
  /** Paused while a question stands. */
  readonly live?: LiveView | null;
}

/** The configuration, once it is allowed, with what it names on this machine found: the superpowers plugin, or a warning. */
async function readRunConfig(
  args: CommandArgs,
  io: Io,
  { reading, root, trust, live = null }: RunConfigParts,
): Promise<RunConfig> {
  const loaded = await readConfig(args, io, root);
  const asked = readAsked(loaded, io, { git: reading.git, root });
  await trust.admit(asked, () => live?.pause() ?? (() => undefined));
  const { config } = asked.content;
  const { superpowers, warning } = resolveSuperpowers(config.superpowers, io.env.HOME ?? homedir());
  const warnings = warning === null ? loaded.warnings : [...loaded.warnings, warning];
  return { ...loaded, asked, config: { ...config, superpowers }, warnings };
}

interface Parts {
  readonly reading: Reading;
  readonly loaded: RunConfig;
  readonly agents: Workshop['agents'];
  readonly gates: Gates;
  readonly events: EventSink;
  readonly machine: Workshop['machine'];
  readonly windDown: WindDown;
  readonly root: string;
  readonly io: Io;
  readonly trust: TrustDesk;
}

function assemble(parts: Parts): Omit<Workshop, 'reload'> {
  const { reading, loaded, agents, gates, events, machine, windDown, root, io, trust } = parts;
  const { config, digest, asked } = loaded;
  return {
    config,
    configDigest: digest,
    configChanges: (from) => configChanges(reading.git.repository.commonDir, from, loaded),
    git: reading.git,
    store: reading.store,
    agents,
    gates,
    events,
    prompts: guardedPrompts(createPromptRenderer({ config, overrides: asked.content.templates }), trust),
    machine,
    windDown,
    adapter: (name) => getAdapter(name, config),
    now: () => new Date(),
    random: Math.random,
    newAgentId: (role) => parseAgentId(`${role}-${randomBytes(4).toString('hex')}`),
    newSessionId: () => parseSessionId(`ses-${compactTime(new Date())}-${randomBytes(2).toString('hex')}`),
    memory: openMemory(config, io, reading.git.repository),
    signal: io.signal ?? new AbortController().signal,
    landInTurn: (work) =>
      withLandingLock(reading.git.repository.commonDir, io.signal ?? new AbortController().signal, work),
    place: cloneName(reading.git.repository.commonDir),
    tried: triedBefore(reading.git.repository.commonDir),
    origins: reading.origins,
    root,
  };
}

/** `20260206-143022`, UTC. */
function compactTime(date: Date): string {
  return date.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
}
