import { statSync } from 'node:fs';
import { auditFile, readAudit } from '../../cell/watcher/audit-log.ts';
import type { AuditLine } from '../../domain/agent-policy.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import type { AgentCalls, BlockedCall } from '../../domain/view-models/task-story.ts';

/** Reads agents' calls from their watchers' audits; an agent without an audit is left out. */
export function readAgentCallsFromAudits(commonDir: string, agents: readonly string[]): readonly AgentCalls[] {
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

/** Which of the calls that an agent's stream shows its watcher refused. */
interface BlockedCalls {
  /** Takes a shown line, `> Bash rm -rf test`; any other is passed over. */
  see(line: string): void;
  /** The refused among the calls seen so far, each once, in the order in which they were judged. */
  next(): readonly AuditLine[];
  /** The other refused ones: a stream does not show every call. */
  rest(): readonly AuditLine[];
}

/**
 * Reads the watcher's audit beside a stream. The two have no key in common, so a call is matched by its content; either
 * may report it first.
 */
export function openBlockedCallReader(auditPath: string): BlockedCalls {
  const calls: string[] = [];
  let read = 0;
  let bytes = 0;
  let waiting: AuditLine[] = [];
  const readOn = (): void => {
    const size = statSync(auditPath, { throwIfNoEntry: false })?.size ?? 0;
    if (size === bytes) return;
    bytes = size;
    const lines = readAudit(auditPath);
    waiting.push(...lines.slice(read));
    read = lines.length;
  };
  const isBlocked = ({ decision }: AuditLine): boolean => decision === 'block';
  const takeSeen = (judged: AuditLine): boolean => {
    const at = calls.findIndex((call) => isAbout(call, judged));
    if (at >= 0) calls.splice(at, 1);
    return at >= 0;
  };
  return {
    see: (line) => {
      if (line.startsWith('> ')) calls.push(line.slice(2));
    },
    next: () => {
      if (calls.length === 0) return [];
      readOn();
      const seen = new Set(waiting.filter(takeSeen));
      waiting = waiting.filter((line) => !seen.has(line));
      return [...seen].filter(isBlocked);
    },
    rest: () => {
      readOn();
      const left = waiting.filter(isBlocked);
      waiting = [];
      return left;
    },
  };
}

/** A shown call is one line, cut where it is long, with paths relative to the worktree. */
function isAbout(call: string, { tool, target }: AuditLine): boolean {
  const [first = ''] = target.trim().split('\n');
  const at = call.indexOf(' ');
  const shown = (at < 0 ? '' : call.slice(at + 1)).replace(/…$/, '').trim();
  if (first === '' || shown === '') return first === shown && call.startsWith(tool);
  return first.startsWith(shown) || first.endsWith(`/${shown}`) || shown.includes(first);
}
