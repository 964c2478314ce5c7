import { configSchema } from '../domain/config/config.ts';
import { inputJsonSchema } from './json-schema.ts';

/** The text of `templates/blueflame.schema.json`: lets an editor complete and check `.blueflame.yml`. */
export function renderConfigJsonSchema(): string {
  const { $schema, ...rest } = { $schema: '', ...inputJsonSchema(configSchema) };
  return `${JSON.stringify({ $schema, title: '.blueflame.yml', ...rest }, null, 2)}\n`;
}
