import * as z from 'zod';
import { taskIdPattern } from '../ids.ts';
import { cliNames } from './agent-clis.ts';
import { text } from './config-values.ts';

const groupName = z.string().regex(taskIdPattern, 'is not the name of a cohesion group, like login-form');

const roleModel = text.nullable().default(null);
// No script: the name of a task's group, which a planner may choose, would decide what runs.
const groupAgent = z.union([text, z.strictObject({ adapter: z.enum(cliNames), model: text.optional() })], {
  error: `must be a model or {adapter: …, model: …}, with an adapter of ${cliNames.join(', ')}`,
});

const usdPerMillion = z.number().min(0);

const priceSchema = z
  .strictObject({
    input: usdPerMillion.describe('Plain input.'),
    output: usdPerMillion.describe('Output.'),
    cache_read: usdPerMillion.optional().describe('Input read from the cache. Default: a tenth of input.'),
    cache_write: usdPerMillion
      .optional()
      .describe('Input written to the cache for 5 minutes. Default: input and a quarter.'),
    cache_write_1h: usdPerMillion
      .optional()
      .describe('Input written to it for an hour. Default: twice the input.'),
  })
  .describe('US dollars for a million tokens.');

/** `models`: which model plays which role, and what models cost. */
export const modelsSchema = z
  .strictObject({
    default: roleModel.describe('Every role that names none itself. null: what is usual for its CLI.'),
    planner: roleModel.describe('Plans the tasks. null: the default; of claude sonnet.'),
    worker: roleModel.describe('Writes the code. null: the default; of claude sonnet.'),
    validator: roleModel.describe('Judges a finished task. null: the default; of claude haiku.'),
    merger: roleModel.describe('Resolves conflicts. null: the default; of claude sonnet.'),
    queen: roleModel.describe('Leads a session, with git flame run --queen. null: the default.'),
    groups: z
      .record(
        groupName,
        z.union([text, z.strictObject({ worker: groupAgent.optional(), validator: groupAgent.optional() })], {
          error: 'must be a model or {worker: …, validator: …}, each a model or {adapter: …, model: …}',
        }),
      )
      .default({})
      .describe(
        'Another model, or another CLI, for a cohesion group: a model of its workers, or {worker: …, validator: …}, each a model or {adapter: …, model: …}.',
      )
      .meta({
        examples: [{ 'login-form': 'opus', docs: { worker: { adapter: 'kimi', model: 'kimi-k2.6' } } }],
      }),
    prices: z
      .record(text, priceSchema)
      .default({})
      .describe(
        'What models cost whose price is not known, or is another for you: by id or the beginning of ids. A whole id also lets agents of an alias ask that version. {input: 0, output: 0}: it costs nothing.',
      )
      .meta({ examples: [{ 'my-model': { input: 3, output: 15 } }] }),
  })
  .describe('Which model plays which role; names reach the agent as they are written.');
