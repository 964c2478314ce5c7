import { agentRoles, type Role } from '../role.ts';
import type { Config } from './config-schema.ts';
import { findDefaultModel } from './known-clis.ts';

/** Fields of a task that choose its agent. */
export interface TaskAgentSettings {
  readonly adapter: string | null;
  readonly model: string | null;
  readonly cohesion_group: string;
}

/** Whether a task of a role may ask for an adapter: the role's own, and those that `adapters` names. */
export function isAdapterOffered(config: Config, role: Role, adapter: string): boolean {
  return adapter === findRoleAdapter(config, role) || Object.hasOwn(config.adapters, adapter);
}

/** An adapter, and the model it is asked to use. */
export interface AdapterAndModel {
  readonly adapter: string;
  readonly model: string;
}

/**
 * The adapter and model of a role, for a task of a cohesion group or for none. The task's own choice counts for its
 * workers, then its group's for workers and validators, then the role's, then the default of all roles. A level that
 * names an adapter ignores models named for others: without one of its own it runs with its usual one.
 */
export function chooseAdapterAndModel(config: Config, role: Role, task: TaskAgentSettings | null): AdapterAndModel {
  const levels = [...taskLevels(config, role, task), ...roleLevels(config, role)];
  const adapter = levels.find((level) => level.adapter !== null)?.adapter ?? '';
  // A script asks no model, so none was named for it.
  const isFor = (from: number): boolean =>
    levels.slice(from).find((level) => level.adapter !== null && level.adapter !== 'exec')?.adapter === adapter;
  const named = levels.find(({ model }, at) => model !== null && isFor(at));
  return { adapter, model: named?.model ?? findDefaultModel(adapter, role) };
}

/**
 * The adapter a role runs with, for a task or for none. Beside an exec worker nothing needs a model.
 * A script judges and merges nothing: exec validators and mergers are `none`.
 */
export function findRoleAdapter(config: Config, role: Role, task: TaskAgentSettings | null = null): string {
  return chooseAdapterAndModel(config, role, task).adapter;
}

/** The model a role runs with. */
export function findRoleModel(config: Config, role: Role, task: TaskAgentSettings | null): string {
  return chooseAdapterAndModel(config, role, task).model;
}

export interface ConfiguredAgent extends AdapterAndModel {
  readonly role: Role;
  /** null: of the role itself. */
  readonly group: string | null;
}

/** Every choice the configuration makes: of each role, and of each group that names one of its own. */
export function listConfiguredAgents(config: Config): readonly ConfiguredAgent[] {
  const ofRoles = agentRoles.map((role) => ({
    role,
    group: null,
    ...chooseAdapterAndModel(config, role, null),
  }));
  const ofGroups = Object.keys(config.models.groups).flatMap((group) =>
    (['worker', 'validator'] as const).flatMap((role) =>
      ofGroup(config, role, group) === null
        ? []
        : [
            {
              role,
              group,
              ...chooseAdapterAndModel(config, role, { adapter: null, model: null, cohesion_group: group }),
            },
          ],
    ),
  );
  return [...ofRoles, ...ofGroups];
}

/** A configuration as it is shown: defaults of roles are replaced by what they really run with. */
export type ShownConfig = Omit<Config, 'models' | 'roles'> & Readonly<Record<'models' | 'roles', object>>;

export function fillInRoleDefaults(config: Config): ShownConfig {
  const choices = listConfiguredAgents(config).filter(({ group }) => group === null);
  const models = Object.fromEntries(choices.map(({ role, model }) => [role, model === '' ? null : model]));
  const roles = Object.fromEntries(choices.map(({ role, adapter }) => [role, { adapter }]));
  return { ...config, models: { ...config.models, ...models }, roles: { ...config.roles, ...roles } };
}

interface Level {
  readonly adapter: string | null;
  readonly model: string | null;
}

function taskLevels(config: Config, role: Role, task: TaskAgentSettings | null): readonly Level[] {
  if (task === null) return [];
  const own = role === 'worker' ? [task] : [];
  const group = role === 'worker' || role === 'validator' ? ofGroup(config, role, task.cohesion_group) : null;
  return group === null ? own : [...own, group];
}

function ofGroup({ models }: Config, role: 'worker' | 'validator', name: string): Level | null {
  const group = Object.hasOwn(models.groups, name) ? models.groups[name] : undefined;
  const said = (typeof group === 'string' ? { worker: group } : group)?.[role];
  if (said === undefined) return null;
  return typeof said === 'string'
    ? { adapter: null, model: said }
    : { adapter: said.adapter, model: said.model ?? null };
}

function roleLevels({ models, roles }: Config, role: Role): readonly Level[] {
  const own = roles[role].adapter;
  const isCheckingRole = role === 'validator' || role === 'merger';
  const isLeftOut = isCheckingRole && (own === 'exec' || (own === null && roles.worker.adapter === 'exec'));
  return [
    { adapter: isLeftOut ? 'none' : own, model: models[role] },
    { adapter: roles.default.adapter ?? 'claude', model: models.default },
  ];
}

/** A role's budget for one agent; `limit` 0 is unlimited. */
export function readRoleBudget(
  config: Config,
  role: Role,
): { readonly unit: 'usd' | 'tokens'; readonly limit: number } {
  const budget = config.limits.token_budget;
  const tokenLimit = budget[`${role}_tokens`];
  return tokenLimit > 0 ? { unit: 'tokens', limit: tokenLimit } : { unit: 'usd', limit: budget[`${role}_usd`] };
}

/** A session's budget; `limit` 0 is unlimited. */
export function readSessionBudget(config: Config): {
  readonly unit: 'usd' | 'tokens';
  readonly limit: number;
} {
  const { max_session_tokens, max_session_cost_usd } = config.limits;
  return max_session_tokens > 0
    ? { unit: 'tokens', limit: max_session_tokens }
    : { unit: 'usd', limit: max_session_cost_usd };
}

/** The key of the configuration that bounds what an agent may spend, by itself or as the only one of its session. */
export function findBudgetKey(config: Config, role: Role): string {
  const own = readRoleBudget(config, role);
  if (own.limit > 0) return `limits.token_budget.${role}_${own.unit}`;
  return readSessionBudget(config).unit === 'tokens' ? 'limits.max_session_tokens' : 'limits.max_session_cost_usd';
}
