import type { RemoteSession } from '../../lib/domain/ports/sharing-port.ts';
import { joinedMachineRoles } from '../../lib/domain/state/machine-schemas.ts';

/** How the machine that leads shares a session, with no other there. */
export function sharingLead(more: Partial<RemoteSession> = {}): RemoteSession {
  return {
    ...{
      remote: 'origin',
      role: 'lead',
      roles: [...joinedMachineRoles],
      budget: null,
      machine: 'here',
    },
    sign: () => ({ key: '', signature: '' }),
    enter: () => undefined,
    machines: () => [],
    isGone: () => false,
    isCutOff: () => false,
    fetchBranchCommits: async () => undefined,
    tipOf: async () => null,
    exchangeNow: async () => undefined,
    ...more,
  };
}
