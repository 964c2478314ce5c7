import { auditFile, readAudit } from '../../cell/watcher/audit-log.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import type { AuditLine } from '../../domain/policy.ts';
import type { AgentCalls, BlockedCall } from '../../domain/shown/task-story.ts';

/** Reads agents' calls from their watchers' audits; an agent without an audit is left out. */
export function callsOf(commonDir: string, agents: readonly string[]): readonly AgentCalls[] {
  return [...new Set(agents)].flatMap((agent) => {
    const lines = agentIdPattern.test(agent) ? readAudit(auditFile(commonDir, agent)) : [];
    if (lines.length === 0) return [];
    const blocked = lines.filter(({ decision }) => decision === 'block');
    return [{ agent, allowed: lines.length - blocked.length, blocked: countCalls(blocked) }];
  });
}

/** Counts calls blocked by the same rule, the most frequent first. */
function countCalls(lines: readonly AuditLine[]): readonly BlockedCall[] {
  const found = new Map<string, BlockedCall>();
  for (const { rule, tool, target, details } of lines) {
    const key = JSON.stringify([rule, tool, target]);
    const count = (found.get(key)?.count ?? 0) + 1;
    found.set(key, { rule, tool, target, details, count });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}
