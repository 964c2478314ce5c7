import type { Config } from '../domain/config/config.ts';
import { inForce } from '../domain/config/role-settings.ts';
import { type ConfigLeaf, listConfigLeaves } from './config-leaves.ts';
import { isWritten, locate } from './locate-value.ts';
import { migrateDocument } from './migrate-config.ts';
import { defaultConfig } from './parse-config.ts';
import type { ValuePath } from './problem.ts';
import { readYamlSource, type YamlSource } from './yaml-source.ts';

/** Where a value moved from keeps explaining it. */
const oldPlaces: Readonly<Record<string, ValuePath>> = {
  'limits.warn_threshold': ['limits', 'token_budget', 'warn_threshold'],
};

/** One line for each effective value: `path = value   (file:line)`, or `(default)`. `text` is the file's. */
export function explainConfig(
  config: Config,
  text: string | null,
  fileName = '.blueflame.yml',
): readonly string[] {
  const source = text === null ? null : readYamlSource(text, fileName);
  if (source !== null) migrateDocument(source.document);
  const defaults = new Map(listConfigLeaves(inForce(defaultConfig())).map((leaf) => [leaf.path, leaf.value]));
  const leaves = listConfigLeaves(inForce(config)).map((leaf) => ({
    ...leaf,
    start: `${leaf.path} = ${leaf.value}`,
  }));
  const width = Math.min(60, Math.max(...leaves.map((leaf) => leaf.start.length)));
  return leaves.map((leaf) => {
    const isDefault = defaults.get(leaf.path) === leaf.value;
    return `${leaf.start.padEnd(width)}   (${originOf(source, leaf, isDefault)})`;
  });
}

function originOf(source: YamlSource | null, leaf: ConfigLeaf, isDefault: boolean): string {
  if (source === null) return 'default';
  const place = [leaf.keys, oldPlaces[leaf.path] ?? leaf.keys].find((path) => isWritten(source, path));
  if (place !== undefined) return `${source.fileName}:${lineOf(source, place)}`;
  return isDefault ? 'default' : `follows from ${source.fileName}`;
}

function lineOf(source: YamlSource, path: ValuePath): number {
  return source.text.slice(0, locate(source, path, 'key').start).split('\n').length;
}
