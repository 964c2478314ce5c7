import * as z from 'zod';
import { taskIdPattern } from '../ids.ts';
import { text } from './config-values.ts';

const groupName = z.string().regex(taskIdPattern, 'is not the name of a cohesion group, like login-form');

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
    planner: text.default('sonnet').describe('Plans the tasks.'),
    worker: text.default('sonnet').describe('Writes the code.'),
    validator: text.default('haiku').describe('Judges a finished task.'),
    merger: text.default('sonnet').describe('Resolves conflicts.'),
    queen: text.default('sonnet').describe('Leads a session, with git flame run --queen.'),
    groups: z
      .record(
        groupName,
        z.union([text, z.strictObject({ worker: text.optional(), validator: text.optional() })], {
          error: 'must be a model or {worker: …, validator: …}',
        }),
      )
      .default({})
      .describe('Another model for a cohesion group: of its workers, or {worker: …, validator: …}.')
      .meta({ examples: [{ 'login-form': 'opus', docs: { worker: 'haiku', validator: 'haiku' } }] }),
    prices: z
      .record(text, priceSchema)
      .default({})
      .describe(
        'What models cost whose price is not known, or is another for you: by id or the beginning of ids. A whole id also lets agents of an alias ask that version.',
      )
      .meta({ examples: [{ 'my-model': { input: 3, output: 15 } }] }),
  })
  .describe('Which model plays which role; names reach the agent as they are written.');
