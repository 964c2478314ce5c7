import { randomBytes } from 'node:crypto';
import { type AgentId, parseAgentId } from '../../lib/domain/ids.ts';

/**
 * The id of an agent that no other run of the tests has: processes are marked with it, and whoever ends an agent ends all
 * on the machine that carry its mark.
 */
export function freshAgentId(): AgentId {
  return parseAgentId(`worker-${randomBytes(4).toString('hex')}`);
}
