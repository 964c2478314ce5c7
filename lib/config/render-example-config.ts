import { stringify } from 'yaml';
import { configSchema } from '../domain/config/config-schema.ts';
import { wrapText } from '../util/format-width.ts';
import { type JsonSchema, renderInputJsonSchema } from './json-schema.ts';

const width = 100;

/**
 * The text of `.blueflame.example.yml`: every key with its default and what it's for.
 * `schemaFile` is where an editor finds the JSON Schema.
 */
export function renderExampleConfig(schemaFile: string): string {
  const header = [
    `# yaml-language-server: $schema=${schemaFile}`,
    '# Configuration of git-flame: .blueflame.yml at the root of the repository.',
    '# Every key is shown with its default. A key that you leave out keeps it.',
    '# git flame config shows the effective values, and the line each comes from.',
  ];
  return `${[...header, '', ...renderKeys(renderInputJsonSchema(configSchema), '')].join('\n')}\n`;
}

function renderKeys(json: JsonSchema, indent: string): readonly string[] {
  return Object.entries(json.properties ?? {})
    .filter(([, property]) => property.deprecated !== true)
    .flatMap(([key, property], index) => [
      ...(indent === '' && index > 0 ? [''] : []),
      ...renderComment(property, indent),
      ...renderValue(key, property, indent),
    ]);
}

function renderComment(property: JsonSchema, indent: string): readonly string[] {
  const examples = (property.examples ?? []).map((example) => `Example: ${inline(example)}`);
  return [property.description ?? '', ...examples]
    .filter((text) => text !== '')
    .flatMap((text) => wrapText(text, width - indent.length - 2))
    .map((line) => `${indent}# ${line}`);
}

function renderValue(key: string, property: JsonSchema, indent: string): readonly string[] {
  if (property.properties !== undefined) return [`${indent}${key}:`, ...renderKeys(property, `${indent}  `)];
  const short = `${indent}${key}: ${inline(property.default)}`;
  if (short.length <= width || !Array.isArray(property.default)) return [short];
  return [`${indent}${key}:`, ...property.default.map((item) => `${indent}  - ${inline(item)}`)];
}

function inline(value: unknown): string {
  const options = { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false } as const;
  return stringify(value, options).trim();
}
