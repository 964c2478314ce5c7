import type { Config } from '../domain/config/config.ts';
import type { Role } from '../domain/role.ts';
import { isRecord } from '../util/json.ts';
import { stringsOf } from './claude-events.ts';

export type SuperpowersConfig = Config['superpowers'];

// Names the plugin's former commands had.
const aliases: Readonly<Record<string, string>> = {
  brainstorm: 'brainstorming',
  'write-plan': 'writing-plans',
  'execute-plan': 'executing-plans',
};

// Some skills talk with a person, some make worktrees of their own: not for agents that work alone.
const needsPerson = new Set(['brainstorming', 'finishing-a-development-branch', 'using-git-worktrees']);
const planning = new Set(['brainstorming', 'writing-plans']);
const checking = new Set(['verification-before-completion', 'systematic-debugging']);

/** The configured skills that serve a role, as the plugin names them: `superpowers:test-driven-development`. */
export function skillsFor(
  config: SuperpowersConfig,
  agent: { readonly role: Role; readonly isInteractive: boolean },
): readonly string[] {
  if (!config.enabled || config.plugin_dir === null) return [];
  return config.skills
    .map((name) => aliases[name] ?? name)
    .filter((name) => agent.isInteractive || !needsPerson.has(name))
    .filter((name) => servesRole(name, agent.role))
    .map((name) => (name.includes(':') ? name : `superpowers:${name}`));
}

/** Checks the agent's first event for the plugin: the CLI silently ignores a missing folder. */
export function pluginWarnings(
  init: Readonly<Record<string, unknown>>,
  config: SuperpowersConfig,
  role: Role,
): readonly string[] {
  if (!config.enabled || config.plugin_dir === null) return [];
  const plugins = Array.isArray(init.plugins) ? init.plugins.filter(isRecord) : [];
  if (
    !plugins.some(({ path }) => path === config.plugin_dir) &&
    !plugins.some(({ name }) => name === 'superpowers')
  ) {
    return [`The plugin in ${config.plugin_dir} was not loaded: the ${role} works without its skills.`];
  }
  const known = new Set(stringsOf(init.skills));
  return skillsFor(config, { role, isInteractive: false })
    .filter((skill) => !known.has(skill))
    .map((skill) => `The plugin has no skill ${skill}: the ${role} works without it.`);
}

function servesRole(name: string, role: Role): boolean {
  if (role === 'planner') return planning.has(name);
  if (role === 'worker') return !planning.has(name);
  return checking.has(name);
}
