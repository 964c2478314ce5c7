import { closeSync, openSync, readSync } from 'node:fs';
import { readRegisteredAgents } from '../../cell/run/agent-registry.ts';
import { auditFile } from '../../cell/watcher/audit-log.ts';
import type { BoardAgent } from '../../domain/shown/board.ts';
import { parseRecord } from '../../util/json-record.ts';

/** The agents that run on this machine, as the board shows them. */
export interface AgentReader {
  /** Those that work for a session; null: for none of them in particular. */
  read(session: string | null): readonly BoardAgent[];
}

/** Audits only grow: of each what is new is counted. */
export function openAgentReader(commonDir: string): AgentReader {
  const counts = new Map<string, BlockedCount>();
  return {
    read: (session) => {
      const agents = readRegisteredAgents(commonDir).filter((agent) => agent.session === session);
      for (const id of counts.keys()) if (!agents.some((agent) => agent.id === id)) counts.delete(id);
      return agents.map((agent) => {
        const count = counts.get(agent.id) ?? new BlockedCount(auditFile(commonDir, agent.id));
        counts.set(agent.id, count);
        const { id, role, task_id: task, adapter, started_at, last_activity_at } = agent;
        const { activity, cost_usd, tokens } = agent;
        return {
          ...{ id, role, task, adapter, started_at, last_activity_at, activity, cost_usd, tokens },
          blocked: count.read(),
        };
      });
    },
  };
}

const chunkBytes = 256 * 1024;
/** At one time; the rest is counted the next time. */
const mostBytes = 8 * 1024 * 1024;

/** How many calls an audit says were refused. */
class BlockedCount {
  readonly #file: string;
  #offset = 0;
  #rest = '';
  #count = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** Including what was written since the last time; what can't be read counts as nothing. */
  read(): number {
    let descriptor: number;
    try {
      descriptor = openSync(this.#file, 'r');
    } catch {
      return this.#count;
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
    return this.#count;
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    // Most calls are allowed: only a line that may say otherwise is parsed.
    for (const line of lines)
      if (line.includes('"block"') && parseRecord(line).decision === 'block') this.#count += 1;
  }
}
