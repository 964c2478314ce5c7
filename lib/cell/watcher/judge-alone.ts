import { readFileSync } from 'node:fs';
import { agentPolicySchema, type Decision, decisionText } from '../../domain/policy.ts';
import { decide } from '../../policy/decide.ts';
import { openAuditLog } from './audit-log.ts';
import { openPathFacts } from './path-facts.ts';
import { blocked, parseToolCall } from './protocol.ts';

/**
 * Judges a call by a policy file, without the orchestrator. The audit goes to `<file>.audit.jsonl`. Throws
 * when the policy can't be read or the audit can't be written.
 */
export function judgeAlone(policyFile: string, value: unknown, at: Date): Decision {
  const policy = agentPolicySchema.parse(JSON.parse(readFileSync(policyFile, 'utf8')));
  const call = parseToolCall(value);
  const decision =
    call === null
      ? blocked('call-malformed', 'The hook did not report a valid tool call.')
      : decide(policy, call, openPathFacts({ workTree: policy.worktree, env: process.env }));
  const audit = openAuditLog(`${policyFile}.audit.jsonl`, policy.agent_id, () => at);
  audit.append(call, decision);
  audit.close();
  return { ...decision, details: decisionText(decision) };
}
