import { type Config, configSchema } from '../domain/config/config.ts';
import { renderDuration } from '../domain/config/config-values.ts';
import type { ShownConfig } from '../domain/config/role-settings.ts';
import { isRecord } from '../util/json.ts';
import { renderPath } from './describe-issue.ts';
import { schemaAt } from './json-schema.ts';
import type { ValuePath } from './problem.ts';

export interface ConfigLeaf {
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
  const entries = isRecord(value) ? Object.entries(value).filter(([, part]) => part !== undefined) : [];
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
  const isDuration = schemaAt(configSchema, keys)?.title === 'duration';
  return isDuration && typeof value === 'number' ? renderDuration(value) : renderPlain(value);
}

function renderPlain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderPlain).join(', ')}]`;
  if (
    typeof value === 'string' &&
    /^[A-Za-z_./][\w./-]*$/.test(value) &&
    !/^(?:true|false|null)$/i.test(value)
  ) {
    return value;
  }
  return JSON.stringify(value);
}
