import type { Role } from '../role.ts';
import type { Config } from './config.ts';

/** Whether a task of a role may ask for an adapter: the role's own, and those that `adapters` names. */
export function isOffered(config: Config, role: Role, adapter: string): boolean {
  return adapter === roleAdapter(config, role) || Object.hasOwn(config.adapters, adapter);
}

/**
 * The adapter a role runs with: its own setting, else `claude`; beside an exec worker nothing needs a model.
 * A script judges and merges nothing: exec validators and mergers are `none`.
 */
export function roleAdapter(config: Config, role: Role): string {
  const own = config.roles[role].adapter;
  const isCheckingRole = role === 'validator' || role === 'merger';
  if (isCheckingRole && own === 'exec') return 'none';
  if (own !== null) return own;
  return isCheckingRole && config.roles.worker.adapter === 'exec' ? 'none' : 'claude';
}

/** The model a role runs with: the task's own (workers), its cohesion group's, or the role's. */
export function roleModel(
  config: Config,
  role: Role,
  task: { readonly model: string | null; readonly cohesion_group: string } | null,
): string {
  const models = config.models;
  if (task === null || role === 'planner' || role === 'merger' || role === 'queen') return models[role];
  if (role === 'worker' && task.model !== null) return task.model;
  const group = Object.hasOwn(models.groups, task.cohesion_group)
    ? models.groups[task.cohesion_group]
    : undefined;
  const ofGroup = typeof group === 'string' ? { worker: group } : group;
  return ofGroup?.[role] ?? models[role];
}

/** A role's budget for one agent; `limit` 0 is unlimited. */
export function roleBudget(
  config: Config,
  role: Role,
): { readonly unit: 'usd' | 'tokens'; readonly limit: number } {
  const budget = config.limits.token_budget;
  const tokenLimit = budget[`${role}_tokens`];
  return tokenLimit > 0
    ? { unit: 'tokens', limit: tokenLimit }
    : { unit: 'usd', limit: budget[`${role}_usd`] };
}

/** A session's budget; `limit` 0 is unlimited. */
export function sessionBudget(config: Config): { readonly unit: 'usd' | 'tokens'; readonly limit: number } {
  const { max_session_tokens, max_session_cost_usd } = config.limits;
  return max_session_tokens > 0
    ? { unit: 'tokens', limit: max_session_tokens }
    : { unit: 'usd', limit: max_session_cost_usd };
}
