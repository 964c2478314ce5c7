export const agentRoles = ['planner', 'worker', 'validator', 'merger', 'queen'] as const;

/** What an agent is there for. */
export type Role = (typeof agentRoles)[number];
