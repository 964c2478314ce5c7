import { join } from 'node:path';
import { agentSettings } from '../../policy/agent-settings.ts';
import { isBelow } from '../../util/is-below.ts';
import { isThere, realPath } from './tool-paths.ts';

/**
 * The settings for agent CLIs that a work tree brings, by their real paths. Some CLIs load plugins from there whatever
 * they are told, so an agent's cell shows all of it empty.
 */
export function findRepositorySettings(root: string): readonly string[] {
  const found = agentSettings
    .map((name) => join(root, name))
    .filter(isThere)
    .map(realPath);
  return [...new Set(found)].filter((path) => path !== root && isBelow(path, root));
}
