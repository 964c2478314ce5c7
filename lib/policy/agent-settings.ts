import { cliSettings } from '../domain/config/agent-clis.ts';

/**
 * Files and folders at the top of a repository that agent CLIs obey as settings: hooks, plugins, servers, permissions.
 * The person's own CLI reads them; the CLIs of agents must not. Some are of CLIs that have no adapter.
 */
export const agentSettings: readonly string[] = [...new Set([...cliSettings, '.cursor', '.agents'])];
