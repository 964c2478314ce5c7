import type { Adapter } from '../domain/adapter.ts';
import type { AgentRunner, AuditSummary, RunningAgent } from '../domain/agent-port.ts';
import type { Config } from '../domain/config.ts';
import type { Repository } from '../domain/git-port.ts';
import { agentIdPattern } from '../domain/ids.ts';
import { decide } from '../policy/decide.ts';
import { readLiveAgents } from './agent-registry.ts';
import { auditFile, summarizeAudit } from './audit-log.ts';
import { checkAdapter } from './check-adapter.ts';
import { runCanary } from './run-canary.ts';
import { runCommand } from './run-command.ts';
import type { RunnerContext } from './runner-context.ts';
import { probeSandbox, type SandboxState } from './sandbox-probe.ts';
import { startAgent } from './start-agent.ts';
import { searchFolders } from './tool-paths.ts';

export interface AgentRunnerOptions {
  readonly config: Config;
  readonly repository: Repository;
  /** The environment of the person's command: PATH, HOME, and the credential for the model API. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly adapters: (name: string) => Adapter;
  /** The folder of the bundles that run inside cells. */
  readonly distDir: string;
  readonly now: () => Date;
}

/** Runs agents in cells. All of them end with this process, however it ends; use it from the main thread. */
export function createAgentRunner(options: AgentRunnerOptions): AgentRunner {
  const context = makeContext(options);
  const running = new Set<{ stop(graceMs: number): Promise<void> }>();
  const keep = (cell: { stop(graceMs: number): Promise<void> }, ended: Promise<unknown>): void => {
    running.add(cell);
    const forget = (): boolean => running.delete(cell);
    ended.then(forget, forget);
  };
  const { commonDir } = options.repository;
  return {
    checkAdapter: (name) => checkAdapter(context, name),
    async sandbox() {
      const { confinement, missing } = await context.sandbox();
      return { kind: confinement === 'bubblewrap' ? 'bubblewrap' : 'none', missing };
    },
    canary: (name) => runCanary(context, name),
    async start(request, onActivity): Promise<RunningAgent> {
      const agent = await startAgent(context, { request, onActivity });
      keep(agent, agent.outcome);
      return agent;
    },
    runCommand: (request) => runCommand(context, request, (cell) => keep(cell, cell.ended)),
    auditOf: async (agent) =>
      agentIdPattern.test(agent) ? summarizeAudit(auditFile(commonDir, agent)) : noAudit,
    live: async () => readLiveAgents(commonDir),
    close: async () => {
      await Promise.all([...running].map((cell) => cell.stop(0)));
    },
  };
}

const noAudit: AuditSummary = { allowed: 0, blocked: 0, top: [] };

function makeContext(options: AgentRunnerOptions): RunnerContext {
  const { config, env } = options;
  let probed: Promise<SandboxState> | null = null;
  return {
    ...options,
    decide,
    limits: {
      cpuSeconds: config.sandbox.max_cpu_seconds,
      memoryMb: config.sandbox.max_memory_mb,
      fileSizeMb: config.sandbox.max_file_size_mb,
      openFiles: config.sandbox.max_open_files,
    },
    searchFolders: searchFolders(env.PATH ?? '/usr/local/bin:/usr/bin:/bin'),
    sandbox: () => {
      probed ??= probeSandbox(env);
      return probed;
    },
  };
}
