import * as z from 'zod';

export const roleSchema = z.enum(['planner', 'worker', 'validator', 'merger', 'queen']);

/** What an agent is there for. */
export type Role = z.infer<typeof roleSchema>;
