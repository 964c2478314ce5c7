import type { Config } from '../domain/config/config.ts';
import { listConfigLeaves } from './config-leaves.ts';

interface ConfigChange {
  readonly path: string;
  /** As written in a file; null: not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** The effective values in which two configurations differ, in the schema's order. */
export function diffConfigs(before: Config, after: Config): readonly ConfigChange[] {
  const [olds, news] = [valuesByPath(before), valuesByPath(after)];
  return [...new Set([...olds.keys(), ...news.keys()])]
    .map((path) => ({ path, before: olds.get(path) ?? null, after: news.get(path) ?? null }))
    .filter((change) => change.before !== change.after);
}

function valuesByPath(config: Config): ReadonlyMap<string, string> {
  return new Map(listConfigLeaves(config).map((leaf) => [leaf.path, leaf.value]));
}
