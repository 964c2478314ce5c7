import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../domain/config/config-schema.ts';
import type { Role } from '../domain/role.ts';
import { isJsonRecord, parseJsonRecord } from '../util/json.ts';
import { readTextOrEmpty } from '../util/read-file.ts';
import { readStrings } from './event-fields.ts';

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
export function listSkillsForRole(
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
export function checkPluginLoaded(
  init: Readonly<Record<string, unknown>>,
  config: SuperpowersConfig,
  role: Role,
): readonly string[] {
  if (!config.enabled || config.plugin_dir === null) return [];
  const plugins = Array.isArray(init.plugins) ? init.plugins.filter(isJsonRecord) : [];
  if (!plugins.some(({ path, name }) => path === config.plugin_dir || name === 'superpowers')) {
    return [`The plugin in ${config.plugin_dir} was not loaded: the ${role} works without its skills.`];
  }
  const known = new Set(readStrings(init.skills));
  return listSkillsForRole(config, { role, isInteractive: false })
    .filter((skill) => !known.has(skill))
    .map((skill) => `The plugin has no skill ${skill}: the ${role} works without it.`);
}

function servesRole(name: string, role: Role): boolean {
  if (role === 'planner') return planning.has(name);
  if (role === 'worker') return !planning.has(name);
  return checking.has(name);
}

interface ResolvedSuperpowers {
  /** With the plugin's folder found, or switched off. */
  readonly superpowers: SuperpowersConfig;
  /** To be said once, before a run; null: nothing to say. */
  readonly warning: string | null;
}

/** Finds the plugin: the configured folder, else where claude installed it for the person. An absent one is no error. */
export function resolveSuperpowers(config: SuperpowersConfig, home: string): ResolvedSuperpowers {
  if (!config.enabled) return { superpowers: { ...config, plugin_dir: null }, warning: null };
  const folder = config.plugin_dir ?? installedPlugin(home);
  if (folder !== null && isPlugin(folder)) {
    return { superpowers: { ...config, plugin_dir: folder }, warning: null };
  }
  const place = config.plugin_dir ?? join(home, '.claude', 'plugins');
  return {
    superpowers: { ...config, enabled: false },
    warning: `There is no superpowers plugin in ${place}: agents work without its skills.`,
  };
}

/** The CLI's own list: one record per plugin, or since its version 2 a list of them. */
function installedPlugin(home: string): string | null {
  const list = join(home, '.claude', 'plugins', 'installed_plugins.json');
  const { plugins } = parseJsonRecord(readTextOrEmpty(list));
  if (!isJsonRecord(plugins)) return null;
  const found = Object.entries(plugins)
    .filter(([name]) => name.startsWith('superpowers@'))
    .flatMap(([, records]) => (Array.isArray(records) ? records : [records]))
    .filter(isJsonRecord)
    .map(({ installPath }) => installPath)
    .filter((path) => typeof path === 'string');
  return found.find(isPlugin) ?? null;
}

function isPlugin(folder: string): boolean {
  return existsSync(join(folder, '.claude-plugin', 'plugin.json'));
}
