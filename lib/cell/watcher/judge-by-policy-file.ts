import { readFileSync } from 'node:fs';
import { agentPolicySchema, type CallDecision, renderDecisionForAgent } from '../../domain/agent-policy.ts';
import { decideToolCall } from '../../policy/decide-tool-call.ts';
import { openAuditLog } from './audit-log.ts';
import { openPathFacts } from './path-facts.ts';
import { blockUnjudgedCall, parseToolCall } from './watcher-protocol.ts';

/**
 * Judges a call by a policy file, without the orchestrator. The audit goes to `<file>.audit.jsonl`. Throws
 * when the policy can't be read or the audit can't be written.
 */
export function judgeCallByPolicyFile(policyFile: string, value: unknown, at: Date): CallDecision {
  const policy = agentPolicySchema.parse(JSON.parse(readFileSync(policyFile, 'utf8')));
  const call = parseToolCall(value);
  const decision =
    call === null
      ? blockUnjudgedCall('call-malformed', 'The hook did not report a valid tool call.')
      : decideToolCall(policy, call, openPathFacts({ workTree: policy.worktree, env: process.env }));
  const audit = openAuditLog(`${policyFile}.audit.jsonl`, policy.agent_id, () => at);
  audit.append(call, decision);
  audit.close();
  return { ...decision, details: renderDecisionForAgent(decision) };
}
