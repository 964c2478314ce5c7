import type { Decision } from '../../domain/policy.ts';
import type { ReportedCall } from '../../domain/ports/call-facts.ts';
import type { AgentRun } from './agent-run.ts';

/** Who watches sees a blocked call as what it is; what was run elsewhere and is shown in its place was not refused. */
export function tellBlocked(
  run: AgentRun,
  { does: [{ tool_name: tool }] }: ReportedCall,
  { decision, rule, details }: Decision,
): void {
  if (decision === 'allow' || rule === 'replayed') return;
  run.onActivity({ ...run.activity, text: `${tool} blocked by ${rule}: ${details.split('\n')[0] ?? ''}` });
}
