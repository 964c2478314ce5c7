export const agentRoles = ['planner', 'worker', 'validator', 'merger', 'queen'] as const;

/** Purpose of an agent. */
export type Role = (typeof agentRoles)[number];
