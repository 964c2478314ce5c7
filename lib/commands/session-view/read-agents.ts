import { closeSync, openSync, readSync } from 'node:fs';
import { readRegisteredAgents } from '../../cell/run/agent-registry.ts';
import { listHintsOfAgent } from '../../cell/run/hints.ts';
import { agentOutputLogFile } from '../../cell/run-folder.ts';
import { auditFile, parseAudit } from '../../cell/watcher/audit-log.ts';
import { hintStates } from '../../domain/agent-messages.ts';
import type { RegisteredAgent } from '../../domain/ports/agent-port.ts';
import type { Role } from '../../domain/role.ts';
import type { BoardAgent, BoardHint } from '../../domain/view-models/board-view.ts';
import { parseJsonRecord } from '../../util/json.ts';
import { RecentOutput } from './recent-output.ts';

/** The agents that run on this machine. */
interface AgentReader {
  /** Agents at work for a session, in the order of their tasks; `budgetOf`: what one of a role may spend. */
  read(session: string, budgetOf: (role: Role) => BoardAgent['budget']): readonly BoardAgent[];
  /** Hints to agents of a session, including ended ones; `ran` names its agents, the latest last. */
  hints(session: string, ran?: readonly string[]): readonly BoardHint[];
}

/** The most ended agents of a session whose hints are kept. */
const mostEnded = 20;

/** Reads only what is new of each audit, since audits only grow. */
export function openAgentReader(commonDir: string): AgentReader {
  const seen = new Map<string, SeenAgent>();
  const lookedAt = new Set<string>();
  return {
    read: (session, budgetOf) => {
      const agents = readRegisteredAgents(commonDir)
        .filter((agent) => agent.session === session)
        .sort(byTask);
      forgetEnded(seen, new Set(agents.map(({ id }) => id)), session);
      return agents.map((agent) => {
        const one = seen.get(agent.id) ?? {
          ...{ session, audit: new SeenAudit(auditFile(commonDir, agent.id)), output: null },
        };
        seen.set(agent.id, one);
        one.audit.readOn();
        one.output ??= new RecentOutput(agentOutputLogFile(commonDir, agent.id), agent.worktree);
        const { id, role, task_id: task, adapter, started_at, last_activity_at } = agent;
        const { activity, cost_usd, tokens } = agent;
        return {
          id,
          role,
          task,
          adapter,
          started_at,
          last_activity_at,
          activity,
          recent: one.output.read(),
          cost_usd,
          tokens,
          budget: budgetOf(role),
          blocked: one.audit.blocked,
        };
      });
    },
    hints: (session, ran = []) => {
      for (const id of ran.slice(-mostEnded)) lookBack(commonDir, id, { session, seen, lookedAt });
      return [...seen]
        .filter(([, one]) => one.session === session)
        .flatMap(([agent, { audit }]) => hintsOf(commonDir, agent, audit));
    },
  };
}

/** Agents that start together register in any order; a person finds them by their task. */
function byTask(one: RegisteredAgent, other: RegisteredAgent): number {
  return (one.task_id ?? '').localeCompare(other.task_id ?? '', 'en', { numeric: true });
}

/** Reads an agent that ended before this process read its audit; it is kept where it got hints. */
function lookBack(
  commonDir: string,
  id: string,
  {
    session,
    seen,
    lookedAt,
  }: {
    readonly session: string;
    readonly seen: Map<string, SeenAgent>;
    readonly lookedAt: Set<string>;
  },
): void {
  if (lookedAt.has(id) || seen.has(id)) return;
  lookedAt.add(id);
  const audit = new SeenAudit(auditFile(commonDir, id));
  audit.readOn();
  if (audit.hints.size > 0) seen.set(id, { session, audit, output: null });
}

interface SeenAgent {
  readonly session: string;
  readonly audit: SeenAudit;
  /** Of one that runs. */
  output: RecentOutput | null;
}

function forgetEnded(seen: Map<string, SeenAgent>, living: ReadonlySet<string>, session: string): void {
  const ended = [...seen].filter(([id, one]) => one.session === session && !living.has(id));
  const reported = ended.filter(([, { audit }]) => audit.hints.size > 0);
  for (const [, { audit }] of reported) audit.readOn();
  const kept = new Set(reported.slice(-mostEnded));
  for (const one of ended) if (!kept.has(one)) seen.delete(one[0]);
}

/** Hints left for an agent, with their states by its audit. */
function hintsOf(commonDir: string, agent: string, { hints }: SeenAudit): readonly BoardHint[] {
  const left = listHintsOfAgent(commonDir, agent);
  for (const { id, text } of left) if (!hints.has(id)) hints.set(id, { id, agent, text, state: 'left', next: '' });
  const isLeft = new Set(left.map(({ id }) => id));
  return [...hints.values()].map((hint) =>
    // The agent ended, and its audit has no state of the hint.
    hint.state === 'left' && !isLeft.has(hint.id) ? { ...hint, state: 'missed' } : hint,
  );
}

const chunkBytes = 256 * 1024;
/** The most read at once; the rest is read the next time. */
const mostBytes = 8 * 1024 * 1024;

/** An audit as far as it was read. */
class SeenAudit {
  readonly #file: string;
  #offset = 0;
  #rest = '';
  /** Number of refused calls. */
  blocked = 0;
  /** By id. */
  readonly hints = new Map<string, BoardHint>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Takes what was written since the last time; what can't be read counts as nothing. */
  readOn(): void {
    let descriptor: number;
    try {
      descriptor = openSync(this.#file, 'r');
    } catch {
      return;
    }
    try {
      const buffer = Buffer.alloc(chunkBytes);
      for (let read = 0; read < mostBytes; ) {
        const size = readSync(descriptor, buffer, 0, chunkBytes, this.#offset);
        if (size === 0) break;
        read += size;
        this.#offset += size;
        this.#take(buffer.toString('latin1', 0, size));
      }
    } finally {
      closeSync(descriptor);
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    // Most calls are allowed: only a line that may say otherwise is parsed.
    for (const line of lines) {
      if (line.includes('"block"') && parseJsonRecord(line).decision === 'block') this.blocked += 1;
      if (line.includes('"tool":"hint"')) this.#takeHint(Buffer.from(line, 'latin1').toString());
    }
  }

  #takeHint(line: string): void {
    const [audited] = parseAudit([line]);
    const state = hintStates.find((one) => audited?.rule === `hint-${one}`);
    if (audited === undefined || audited.tool !== 'hint' || state === undefined) return;
    const { agent_id: agent, target: id, details } = audited;
    const text = this.hints.get(id)?.text ?? details;
    this.hints.set(id, { id, agent, text, state, next: state === 'followed' ? details : '' });
  }
}
