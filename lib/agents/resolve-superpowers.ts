import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseRecord } from '../util/json.ts';
import type { SuperpowersConfig } from './superpowers.ts';

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
    warning: `The superpowers plugin is not in ${place}: agents work without its skills.`,
  };
}

/** The CLI's own list: one record per plugin, or since its version 2 a list of them. */
function installedPlugin(home: string): string | null {
  const { plugins } = readJson(join(home, '.claude', 'plugins', 'installed_plugins.json'));
  if (!isRecord(plugins)) return null;
  const found = Object.entries(plugins)
    .filter(([name]) => name.startsWith('superpowers@'))
    .flatMap(([, records]) => (Array.isArray(records) ? records : [records]))
    .filter(isRecord)
    .map(({ installPath }) => installPath)
    .filter((path) => typeof path === 'string');
  return found.find(isPlugin) ?? null;
}

function isPlugin(folder: string): boolean {
  return existsSync(join(folder, '.claude-plugin', 'plugin.json'));
}

function readJson(file: string): Readonly<Record<string, unknown>> {
  try {
    return parseRecord(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
