import * as z from 'zod';
import { taskIdPattern } from '../ids.ts';
import { adapterNames, modelCliNames } from './known-clis.ts';
import { nonEmptyTextSchema } from './value-schemas.ts';

const agentAdapter = z.enum(adapterNames).nullable().default(null);
/** `none`: code alone plays the role. */
const checkingAdapter = z
  .enum([...adapterNames, 'none'])
  .nullable()
  .default(null);
const names = modelCliNames.join(', ');

/** `roles`: which agent CLI plays which role. */
export const rolesSchema = z
  .strictObject({
    default: z
      .strictObject({
        adapter: z.enum(modelCliNames).nullable().default(null).describe(`${names}. null: claude.`),
      })
      .describe('Roles that name none themselves.')
      .prefault({}),
    planner: z
      .strictObject({ adapter: agentAdapter.describe(`${names}. null: the default.`) })
      .describe('Plans the tasks.')
      .prefault({}),
    worker: z
      .strictObject({
        adapter: agentAdapter.describe(`${names}, or exec: a task’s description is its script. null: the default.`),
      })
      .describe('Writes the code.')
      .prefault({}),
    validator: z
      .strictObject({
        adapter: checkingAdapter.describe(
          `${names}, or none: the diagnostics decide. null: the default, or none with an exec worker.`,
        ),
      })
      .describe('Validates a finished task.')
      .prefault({}),
    merger: z
      .strictObject({
        adapter: checkingAdapter.describe(
          `${names}, or none: tasks in conflict are sent back. null: the default, or none with an exec worker.`,
        ),
      })
      .describe('Resolves conflicts.')
      .prefault({}),
    queen: z
      .strictObject({ adapter: agentAdapter.describe(`${names}. null: the default.`) })
      .describe('Leads a session, with git flame run --queen.')
      .prefault({}),
  })
  .describe('The agent CLI of each role.');

const groupName = z.string().regex(taskIdPattern, 'is not the name of a cohesion group, like login-form');

const roleModel = nonEmptyTextSchema.nullable().default(null);
// No script: the name of a task's group, which a planner may choose, would decide what runs.
const groupAgent = z.union(
  [nonEmptyTextSchema, z.strictObject({ adapter: z.enum(modelCliNames), model: nonEmptyTextSchema.optional() })],
  {
    error: `must be a model or {adapter: …, model: …}, with an adapter of ${modelCliNames.join(', ')}`,
  },
);

const usdPerMillion = z.number().min(0);

const priceSchema = z
  .strictObject({
    input: usdPerMillion.describe('Plain input.'),
    output: usdPerMillion.describe('Output.'),
    cache_read: usdPerMillion.optional().describe('Input read from the cache. Default: a tenth of input.'),
    cache_write: usdPerMillion
      .optional()
      .describe('Input written to the cache for 5 minutes. Default: 1.25 times the input.'),
    cache_write_1h: usdPerMillion
      .optional()
      .describe('Input written to the cache for an hour. Default: twice the input.'),
  })
  .describe('US dollars per million tokens.');

/** `models`: which model plays which role, and what models cost. */
export const modelsSchema = z
  .strictObject({
    default: roleModel.describe('Roles that name none themselves. null: the usual model of its CLI.'),
    planner: roleModel.describe('Plans the tasks. null: the default; for claude, sonnet.'),
    worker: roleModel.describe('Writes the code. null: the default; for claude, sonnet.'),
    validator: roleModel.describe('Validates a finished task. null: the default; for claude, haiku.'),
    merger: roleModel.describe('Resolves conflicts. null: the default; for claude, sonnet.'),
    queen: roleModel.describe('Leads a session, with git flame run --queen. null: the default.'),
    groups: z
      .record(
        groupName,
        z.union(
          [nonEmptyTextSchema, z.strictObject({ worker: groupAgent.optional(), validator: groupAgent.optional() })],
          {
            error: 'must be a model or {worker: …, validator: …}, each a model or {adapter: …, model: …}',
          },
        ),
      )
      .default({})
      .describe(
        'Another model, or another CLI, for a cohesion group: a model of its workers, or {worker: …, validator: …}, each a model or {adapter: …, model: …}.',
      )
      .meta({
        examples: [{ 'login-form': 'opus', docs: { worker: { adapter: 'kimi', model: 'kimi-k2.6' } } }],
      }),
    prices: z
      .record(nonEmptyTextSchema, priceSchema)
      .default({})
      .describe(
        'Prices of models that git flame does not know or that cost you something else, by id or by the beginning of ids. A complete id also lets agents that use an alias call that version. {input: 0, output: 0}: free.',
      )
      .meta({ examples: [{ 'my-model': { input: 3, output: 15 } }] }),
  })
  .describe('The model of each role; names are passed to the agent as written.');

/** Questions that may be asked in the person's own chat. */
const chatQuestions = ['plan'] as const;

/** How far a lead agent may go; what is not here it can never do: approve a plan, land, raise a budget. */
export const leadAgentSchema = z
  .strictObject({
    ask_in_chat: z
      .array(z.enum(chatQuestions))
      .default([])
      .describe('plan: a yes in the chat’s form approves the plan that it shows. []: you approve with git flame plan.'),
    may_drop: z
      .boolean()
      .default(false)
      .describe('Whether it may drop tasks of an approved plan at once, instead of only proposing it.'),
    max_tasks: z.int().min(1).max(1_000).default(100).describe('The most open tasks it may have.'),
    max_rejects: z
      .int()
      .min(0)
      .max(20)
      .default(2)
      .describe('How often it may send a task back; after that you decide.'),
    on_exit: z
      .enum(['waves', 'stop'])
      .default('waves')
      .describe('If it ends before the work does. waves: the session continues without it. stop: the session stops.'),
    review: z
      .boolean()
      .default(false)
      .describe(
        'Without a lead agent: before the next cycle, a planner reviews the results and may propose another plan.',
      ),
  })
  .describe('A model that leads: git flame mcp and git flame run --queen.');
