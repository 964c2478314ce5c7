import { isRecord, type JsonRecord } from '../util/json.ts';

/**
 * A JSON Schema as OpenAI's strict mode takes it: an object has all its properties and no others, and one that may be
 * left out may be null instead. See withoutNulls.
 */
export function strictSchema(schema: JsonRecord): JsonRecord {
  const { properties, items, required } = schema;
  if (isRecord(items)) return { ...schema, items: strictSchema(items) };
  if (!isRecord(properties)) return schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const strict = Object.entries(properties).map(([name, property]): [string, unknown] => {
    const own = isRecord(property) ? strictSchema(property) : property;
    return [name, needed.includes(name) ? own : { anyOf: [own, { type: 'null' }] }];
  });
  return {
    ...schema,
    properties: Object.fromEntries(strict),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** An answer by such a schema: what is null was left out. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner)]));
}
