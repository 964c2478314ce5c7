import { existsSync } from 'node:fs';
import { agentIdPattern } from '../domain/ids.ts';
import type { AgentRequest, AgentRunner, AuditSummary, RunningAgent } from '../domain/ports/agent-port.ts';
import { runCanary } from './canary/run-canary.ts';
import { sumProcessTreeUsage } from './limits/watchdog.ts';
import { readProcessTable } from './process-table.ts';
import { addOtherClisToError, checkAdapterVersion } from './run/adapter-programs.ts';
import { readLiveAgents } from './run/agent-registry.ts';
import { stopAgent } from './run/end-runs.ts';
import { makeRunnerContext, type RunnerOptions } from './run/make-context.ts';
import { missingRoleCredentialError, unknownRoleModelError } from './run/model-access.ts';
import { runCommandInCell } from './run/run-command.ts';
import { startAgentInCell } from './run/start-agent-in-cell.ts';
import { auditFile, summarizeAudit } from './watcher/audit-log.ts';

/** Runs agents in cells. All of them end with this process, however it ends; use it from the main thread. */
export function createAgentRunner(options: RunnerOptions): AgentRunner {
  const context = makeRunnerContext(options);
  const running = new Set<{ stop(graceMs: number): Promise<void> }>();
  const keep = (cell: { stop(graceMs: number): Promise<void> }, ended: Promise<unknown>): void => {
    running.add(cell);
    const forget = (): boolean => running.delete(cell);
    ended.then(forget, forget);
  };
  const { commonDir } = options.repository;
  const pids = new Set<number>();
  const commands = new Set<{ stop(graceMs: number): Promise<void> }>();
  const stopAll = (cells: Iterable<{ stop(graceMs: number): Promise<void> }>, graceMs: number): void => {
    for (const cell of cells) void cell.stop(graceMs);
  };
  options.signal?.addEventListener('abort', () => stopAll(commands, commandGraceMs), { once: true });
  options.hurry?.addEventListener('abort', () => stopAll(running, 0), { once: true });
  return {
    checkAdapter: async (name) => {
      const version = await checkAdapterVersion(context, name);
      const adapter = context.adapters(name);
      const problem = unknownRoleModelError(context, adapter) ?? missingRoleCredentialError(context, adapter);
      if (problem !== null) throw addOtherClisToError(context, name, problem);
      return version;
    },
    async sandbox() {
      const { confinement, missing, cure } = await context.sandbox();
      return {
        kind: confinement === 'bubblewrap' || confinement === 'seatbelt' ? confinement : 'none',
        missing,
        cure,
      };
    },
    canary: (name, model) => runCanary(context, name, model),
    async start(request, onActivity, shared): Promise<RunningAgent> {
      if (!existsSync(request.worktree.path)) return neverStarted(request);
      const agent = await startAgentInCell(context, { request, onActivity, shared });
      keep(agent, agent.outcome);
      pids.add(agent.pid);
      const forget = (): boolean => pids.delete(agent.pid);
      agent.outcome.then(forget, forget);
      return agent;
    },
    runCommand: (request) =>
      runCommandInCell(context, request, (cell) => {
        keep(cell, cell.ended);
        commands.add(cell);
        void cell.ended.then(() => commands.delete(cell));
        if (options.signal?.aborted === true) void cell.stop(commandGraceMs);
      }),
    auditOf: async (agent) => (agentIdPattern.test(agent) ? summarizeAudit(auditFile(commonDir, agent)) : noAudit),
    usedMemoryMb: () => {
      const table = readProcessTable();
      return [...pids].map((pid) => sumProcessTreeUsage(table, [pid]).residentBytes / 1024 / 1024);
    },
    listLiveAgents: async () => readLiveAgents(commonDir),
    stop: (agent, order) => stopAgent(commonDir, agent, order),
    close: async () => {
      await Promise.all([...running].map((cell) => cell.stop(0)));
    },
  };
}

/** The time a diagnostic gets between SIGTERM and SIGKILL. */
const commandGraceMs = 2_000;

const noAudit: AuditSummary = { allowed: 0, blocked: 0, top: [] };

/** Of a worktree that was removed before its agent was started. */
function neverStarted({ id, worktree }: AgentRequest): RunningAgent {
  const failure = {
    kind: 'spawn-failed',
    message: "The agent's worktree no longer exists.",
    details: [`${worktree.path} was removed before the agent was started.`],
    retryable: false,
  } as const;
  const spent = { cost_usd: 0, tokens: 0, duration_ms: 0 };
  const outcome = { ...spent, failure, exitCode: null, answer: null, text: '', audit: noAudit, logFile: '' };
  return { id, pid: 0, outcome: Promise.resolve(outcome), stop: async () => undefined };
}
