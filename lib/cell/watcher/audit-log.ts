import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditLine, CallDecision, ToolCall } from '../../domain/agent-policy.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import type { AuditSummary } from '../../domain/ports/agent-port.ts';
import { parseJsonRecord } from '../../util/json.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { agentLogsRoot } from '../run-folder.ts';

/** The decisions about one agent's calls: one JSON line each, allowed ones too. */
export interface AuditLog {
  /** Throws when the line can't be written: then the call must not run. */
  append(call: ToolCall | null, decision: CallDecision): void;
  close(): void;
}

const longestTarget = 2_000;
const longestDetails = 8_000;
// A hundred thousand calls. Programs in a cell can ask the judge, too, and this is the person's disk.
const largestAudit = 256 * 1024 * 1024;

/** Where an agent's audit is kept. */
export function auditFile(commonDir: string, agent: string): string {
  return join(agentLogsRoot(commonDir), `${agent}.audit.jsonl`);
}

/** Opens an audit for appending. */
export function openAuditLog(file: string, agentId: string, now: () => Date, largest = largestAudit): AuditLog {
  const descriptor = openSync(file, 'a', 0o600);
  let size = fstatSync(descriptor).size;
  let isOpen = true;
  return {
    append(call, decision) {
      if (!isOpen) throw new Error('the agent has ended');
      const line: AuditLine = {
        timestamp: now().toISOString(),
        agent_id: agentId,
        tool: (call?.tool_name ?? 'unknown').slice(0, longestTarget),
        target: call === null ? '' : describeCallTarget(call),
        decision: decision.decision,
        rule: decision.rule,
        details: decision.details.slice(0, longestDetails),
      };
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      size += bytes.length;
      if (size > largest) throw new Error(`it has reached ${largest} bytes`);
      if (writeSync(descriptor, bytes) !== bytes.length) throw new Error('no space is left');
    },
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Counts an audit; zeros where there is none. Lines that can't be read count as nothing. */
export function summarizeAudit(file: string): AuditSummary {
  const lines = readAudit(file);
  const blockedLines = lines.filter((line) => line.decision === 'block');
  const byCall = new Map<string, number>();
  for (const { tool, target, rule } of blockedLines) {
    const call = `${tool} ${(target.split('\n')[0] ?? '').slice(0, 200)}: ${rule}`;
    byCall.set(call, (byCall.get(call) ?? 0) + 1);
  }
  const top = [...byCall]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 10)
    .map(([call, count]) => (count === 1 ? call : `${call} (${count} times)`));
  return { allowed: lines.length - blockedLines.length, blocked: blockedLines.length, top };
}

/** How many calls of an agent were blocked by each rule; none where its audit isn't on this machine. */
export function countBlockedCallsByRule(commonDir: string, agent: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (!agentIdPattern.test(agent)) return counts;
  for (const { decision, rule } of readAudit(auditFile(commonDir, agent)))
    if (decision === 'block') counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return counts;
}

/** Returns the subject of a call, for people: a path, a command, a pattern. */
export function describeCallTarget(call: ToolCall): string {
  const keys = ['file_path', 'notebook_path', 'command', 'path', 'pattern', 'url', 'subagent_type'];
  const found = keys.map((key) => call.tool_input[key]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found.slice(0, longestTarget) : '';
}

/** The lines of an audit; none where there is none. What can't be read is left out. */
export function readAudit(file: string): AuditLine[] {
  return parseAudit(readTextOrEmpty(file).split('\n'));
}

/** Lines of an audit. What can't be read is left out. */
export function parseAudit(lines: readonly string[]): AuditLine[] {
  return lines.flatMap(parseAuditLine);
}

function parseAuditLine(text: string): AuditLine[] {
  const line: Partial<AuditLine> = parseJsonRecord(text);
  const isWhole = [line.tool, line.target, line.rule, line.decision].every((part) => typeof part === 'string');
  return isWhole ? [line as AuditLine] : [];
}
