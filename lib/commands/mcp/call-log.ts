import { mkdirSync } from 'node:fs';
import { logRoot } from '../../cell/run-folder.ts';
import { auditFile, openAuditLog } from '../../cell/watcher/audit-log.ts';
import type { AgentId } from '../../domain/ids.ts';
import type { EventSink } from '../../domain/shown/event.ts';
import type { CallReport } from './desk.ts';

interface CallLog {
  readonly by: AgentId;
  readonly commonDir: string;
  readonly events: EventSink;
}

/** Says each call of a chat's model as an event, and keeps it as a line of its audit. What it cost is the chat's. */
export function callLog({ by, commonDir, events }: CallLog): (report: CallReport) => void {
  return ({ tool, about, error }) => {
    const code = error?.code ?? null;
    events.emit({
      event: 'queen-call',
      agent: by,
      tool,
      about: about.slice(0, 300),
      code,
      cost_usd: 0,
      tokens: 0,
    });
    const decision = code === null ? 'allow' : 'block';
    const line = { decision, rule: code ?? 'allowed', details: error?.message ?? '' } as const;
    const call = { tool_name: `mcp__flame__${tool}`, tool_input: { pattern: about }, cwd: '' };
    try {
      mkdirSync(logRoot(commonDir), { recursive: true, mode: 0o700 });
      const audit = openAuditLog(auditFile(commonDir, by), by, () => new Date());
      audit.append(call, line);
      audit.close();
    } catch {
      // Who only looks may do so in a repository that can't be written; what changes anything is on the refs.
    }
  };
}
