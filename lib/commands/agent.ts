import { createStreamViewer, type StreamLine } from '../agents/get-adapter.ts';
import { followStream } from '../cell/run/agent-output-log.ts';
import { findLivingAgent, readRegisteredAgents } from '../cell/run/agent-registry.ts';
import { stopAgent } from '../cell/run/end-runs.ts';
import { agentOutputLogFile } from '../cell/run-folder.ts';
import { auditFile } from '../cell/watcher/audit-log.ts';
import type { AuditLine } from '../domain/agent-policy.ts';
import { FlameError } from '../domain/flame-error.ts';
import { type AgentId, parseAgentId } from '../domain/ids.ts';
import { agentNotRunningError } from '../domain/input-errors.ts';
import type { RegisteredAgent } from '../domain/ports/agent-port.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { renderAgents } from '../ui/render/render-agent.ts';
import { renderBlockedCall } from '../ui/render/render-calls.ts';
import { toPrintableText } from '../ui/text/printable-text.ts';
import { openBlockedCallReader } from './context/agent-calls.ts';
import { type ReadContext, withRepositoryState } from './context/open-read-context.ts';
import { hintAgent } from './show/hint-agent.ts';

/** `git flame agent list|attach|hint|stop`: the agents that run on this machine for this repository. */
export function run(args: CommandArgs<'agent'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    const { commonDir } = reading.git.repository;
    const agents = readRegisteredAgents(commonDir).filter(
      ({ session }) => reading.selected.name === null || session === reading.selected.name,
    );
    if (args.subcommand === 'list') return list(reading, agents);
    const [only, ...others] = agents;
    // `attach` alone may omit the name: `stop` needs it, since one agent may end and another start meanwhile.
    const alone = args.subcommand === 'attach' && others.length === 0 ? only?.id : undefined;
    const [words] = args.positionals;
    const [name, text] = args.subcommand === 'hint' ? splitName(words) : [words ?? alone, ''];
    if (name === undefined) throw agents.length === 0 ? noneRuns() : noName(args.subcommand ?? '', agents);
    const agent = findAgent(agents, name);
    if (args.subcommand === 'hint') {
      if (agent === null) throw agentNotRunningError(name, { isKept: true });
      if (text === '') throw noText(agent);
      const { dryRun: isDry } = args.globals;
      return hintAgent(reading, { agent, text, waits: args.options.wait, isDry, io });
    }
    if (args.subcommand === 'stop') {
      if (agent === null) throw agentNotRunningError(name, { isKept: true });
      return stop(reading, args, agent);
    }
    return attachToAgent(reading, { id: parseAgentId(agent?.id ?? name), agent, io });
  });
}

function list({ output }: ReadContext, agents: readonly RegisteredAgent[]): number {
  const now = new Date();
  const elapsed = agents.map(({ started_at }) => now.getTime() - Date.parse(started_at));
  output.json({ agents: agents.map((agent, index) => ({ ...agent, elapsed_ms: elapsed[index] })) });
  output.result(renderAgents(agents, output.style, now));
  return 0;
}

async function stop({ git, output }: ReadContext, args: CommandArgs<'agent'>, agent: RegisteredAgent): Promise<number> {
  const { id, task_id, role } = agent;
  const retry = args.options.retry;
  const task = task_id ?? role;
  if (args.globals.dryRun) {
    output.json({ agent: id, task: task_id, stopped: false, retry });
    output.result(`Would end ${id} (${task}).`);
    return 0;
  }
  const order = { by: await git.identity(), retry };
  if (!(await stopAgent(git.repository.commonDir, id, order))) throw agentNotRunningError(id, { isKept: true });
  output.json({ agent: id, task: task_id, stopped: true, retry });
  output.result(`${id} has ended. ${afterwards(agent, retry)}`);
  return 0;
}

function afterwards({ role, task_id }: RegisteredAgent, retry: boolean): string {
  if (role !== 'worker' || task_id === null) return 'The run continues as after any failure.';
  return retry
    ? `${task_id} gets another attempt, without using up a retry; its files stay in the worktree.`
    : `${task_id} has failed; its files stay in the worktree.`;
}

/** The first word, and the rest. */
function splitName(words = ''): readonly [string | undefined, string] {
  const [, name, text = ''] = /^(\S+)\s*(.*)$/s.exec(words) ?? [];
  return [name, text];
}

function noText({ id }: RegisteredAgent): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-hint',
    message: `The message for ${id} is missing.`,
    hints: [`git flame agent hint ${id} 'TEXT'`],
  });
}

/** Finds an agent by its id, or by its task where that is unambiguous. */
function findAgent(agents: readonly RegisteredAgent[], name: string): RegisteredAgent | null {
  const byId = agents.find(({ id }) => id === name);
  if (byId !== undefined) return byId;
  const byTask = agents.filter(({ task_id }) => task_id === name);
  return byTask.length === 1 ? (byTask[0] ?? null) : null;
}

function noneRuns(): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-agent-runs',
    message: 'No agent is running.',
    hints: ['git flame status', 'git flame run'],
  });
}

function noName(subcommand: string, agents: readonly RegisteredAgent[]): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-agent-named',
    message: `git flame agent ${subcommand} needs the id of an agent or of its task.`,
    hints: [...agents.slice(0, 3).map(({ id }) => `git flame agent ${subcommand} ${id}`), 'git flame agent list'],
  });
}

/**
 * Shows what an agent says from its beginning, and below each call of it that its watcher refused that it was,
 * until it has ended or the person leaves; the agent doesn't notice. With --json each line it printed as
 * `{agent, line}`, and a refused call as `{agent, blocked: {tool, target, rule, details}}`.
 */
async function attachToAgent(
  { git, output }: ReadContext,
  { id, agent, io }: { readonly id: AgentId; readonly agent: RegisteredAgent | null; readonly io: Io },
): Promise<number> {
  const { commonDir } = git.repository;
  const view = createStreamViewer(agent?.worktree ?? '/');
  const blocked = openBlockedCallReader(auditFile(commonDir, id));
  const showRefused = (calls: readonly AuditLine[]): void => {
    for (const { tool, target, rule, details } of calls) {
      output.jsonLine({ agent: id, blocked: { tool, target, rule, details } });
      for (const line of renderBlockedCall({ tool, target, rule, details, count: 1 }, output.style))
        output.result(line);
    }
  };
  const show = (lines: readonly StreamLine[]): void => {
    for (const { raw, shown } of lines) {
      output.jsonLine({ agent: id, line: raw });
      for (const line of shown) {
        output.result(toPrintableText(line));
        blocked.see(line);
      }
      showRefused(blocked.next());
    }
  };
  await followStream(agentOutputLogFile(commonDir, id), {
    isLive: () => findLivingAgent(commonDir, id) !== null,
    signal: io.signal ?? new AbortController().signal,
    onText: (text) => show(view.push(text)),
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? agentNotRunningError(id, { isKept: false }) : error;
  });
  show(view.rest());
  showRefused(blocked.rest());
  if (io.signal?.aborted !== true) output.info(`${id} has ended.`);
  return 0;
}
