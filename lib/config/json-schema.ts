import * as z from 'zod';
import { configSchema } from '../domain/config/config-schema.ts';
import type { ValuePath } from './yaml-source.ts';

/** The part of JSON Schema that zod makes of this project's schemas. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly deprecated?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

const made = new WeakMap<z.ZodType, JsonSchema>();

/** The schema of a text as JSON Schema: the input side, before defaults and conversions. */
export function renderInputJsonSchema(schema: z.ZodType): JsonSchema {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const json = z.toJSONSchema(schema, { io: 'input', override: dropNoise }) as JsonSchema;
  made.set(schema, json);
  return json;
}

/** The schema of the value at a path; undefined where none belongs. */
export function findSchemaAtPath(schema: z.ZodType, path: ValuePath): JsonSchema | undefined {
  let current: JsonSchema | undefined = renderInputJsonSchema(schema);
  for (const segment of path) {
    if (current === undefined) return undefined;
    current = childSchema(current, segment);
  }
  return current;
}

/** The keys a map at a path may have. */
export function listKeysAtPath(schema: z.ZodType, path: ValuePath): readonly string[] {
  const place = findSchemaAtPath(schema, path);
  return Object.entries(place?.properties ?? {})
    .filter(([, property]) => property.deprecated !== true)
    .map(([key]) => key);
}

/** Every key of a schema as a dotted path, sections before their keys, in the schema's order. */
export function listKeyPaths(schema: z.ZodType): readonly string[] {
  return walk(renderInputJsonSchema(schema), '');
}

function walk(json: JsonSchema, prefix: string): readonly string[] {
  return Object.entries(json.properties ?? {})
    .filter(([, property]) => property.deprecated !== true)
    .flatMap(([key, property]) => [`${prefix}${key}`, ...walk(property, `${prefix}${key}.`)]);
}

function childSchema(json: JsonSchema, segment: PropertyKey): JsonSchema | undefined {
  if (typeof segment === 'number') return json.items;
  const name = String(segment);
  if (json.properties !== undefined && Object.hasOwn(json.properties, name)) return json.properties[name];
  if (typeof json.additionalProperties === 'object') return json.additionalProperties;
  return json.anyOf?.map((option) => childSchema(option, segment)).find((found) => found !== undefined);
}

/** Drops the largest whole number of JavaScript, which is not a limit that was set. */
function dropNoise(context: { readonly jsonSchema: { maximum?: number } }): void {
  if (context.jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete context.jsonSchema.maximum;
}

/** The text of `templates/blueflame.schema.json`: lets an editor complete and check `.blueflame.yml`. */
export function renderConfigJsonSchema(): string {
  const { $schema, ...rest } = { $schema: '', ...renderInputJsonSchema(configSchema) };
  return `${JSON.stringify({ $schema, title: '.blueflame.yml', ...rest }, null, 2)}\n`;
}
