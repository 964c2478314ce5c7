import { askTool } from '../domain/agent-talk.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';

/** Whether the model is offered the tool of its CLI that asks the person. */
export function asksPerson({ ask, policy, isInteractive }: AgentRequest): boolean {
  return ask !== undefined && !isInteractive && !policy.blocked_tools.includes(askTool);
}
