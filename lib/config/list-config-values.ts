import { type Config, configSchema } from '../domain/config/config-schema.ts';
import { fillInRoleDefaults, type ShownConfig } from '../domain/config/role-adapter-and-model.ts';
import { renderDuration } from '../domain/config/value-schemas.ts';
import { isJsonRecord } from '../util/json.ts';
import { renderPath } from './check-yaml-value.ts';
import { findSchemaAtPath } from './json-schema.ts';
import { defaultConfig } from './load-config.ts';
import { isWrittenInYaml, locateInYaml } from './locate-value.ts';
import { migrateDocument } from './migrate-config.ts';
import { readYamlSource, type ValuePath, type YamlSource } from './yaml-source.ts';

interface ConfigLeaf {
  readonly keys: ValuePath;
  /** Dotted. */
  readonly path: string;
  /** The value as one would write it in the file. */
  readonly value: string;
}

/** Every effective value of a configuration, in the schema's order; lists are one value. */
export function listConfigLeaves(config: Config | ShownConfig): readonly ConfigLeaf[] {
  return leavesOf(config, []);
}

function leavesOf(value: unknown, keys: ValuePath): readonly ConfigLeaf[] {
  const entries = isJsonRecord(value) ? Object.entries(value).filter(([, part]) => part !== undefined) : [];
  if (entries.length > 0) return entries.flatMap(([key, part]) => leavesOf(part, [...keys, key]));
  // How a value is written needs all of the schema, and few ask.
  const written = () => renderConfigValue(keys, value);
  return [
    {
      keys,
      path: renderPath(keys),
      get value() {
        return written();
      },
    },
  ];
}

function renderConfigValue(keys: ValuePath, value: unknown): string {
  const isDuration = findSchemaAtPath(configSchema, keys)?.title === 'duration';
  return isDuration && typeof value === 'number' ? renderDuration(value) : renderPlain(value);
}

function renderPlain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderPlain).join(', ')}]`;
  if (typeof value === 'string' && /^[A-Za-z_./][\w./-]*$/.test(value) && !/^(?:true|false|null)$/i.test(value)) {
    return value;
  }
  return JSON.stringify(value);
}

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

/** Where a value moved from keeps explaining it. */
const oldPlaces: Readonly<Record<string, ValuePath>> = {
  'limits.warn_threshold': ['limits', 'token_budget', 'warn_threshold'],
};

/** One line for each effective value: `path = value   (file:line)`, or `(default)`. `text` is the file's. */
export function renderConfigWithOrigins(
  config: Config,
  text: string | null,
  fileName = '.blueflame.yml',
): readonly string[] {
  const source = text === null ? null : readYamlSource(text, fileName);
  if (source !== null) migrateDocument(source.document);
  const defaults = new Map(
    listConfigLeaves(fillInRoleDefaults(defaultConfig())).map((leaf) => [leaf.path, leaf.value]),
  );
  const leaves = listConfigLeaves(fillInRoleDefaults(config)).map((leaf) => ({
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
  const place = [leaf.keys, oldPlaces[leaf.path] ?? leaf.keys].find((path) => isWrittenInYaml(source, path));
  if (place !== undefined) return `${source.fileName}:${lineOf(source, place)}`;
  return isDefault ? 'default' : `follows from ${source.fileName}`;
}

function lineOf(source: YamlSource, path: ValuePath): number {
  return source.text.slice(0, locateInYaml(source, path, 'key').start).split('\n').length;
}
