import * as z from 'zod';
import { adapterNames, cliNames } from './agent-clis.ts';

const agentAdapter = z.enum(adapterNames).nullable().default(null);
/** `none`: code alone plays the role. */
const checkingAdapter = z
  .enum([...adapterNames, 'none'])
  .nullable()
  .default(null);
const names = cliNames.join(', ');

/** `roles`: which agent CLI plays which role. */
export const rolesSchema = z
  .strictObject({
    default: z
      .strictObject({
        adapter: z.enum(cliNames).nullable().default(null).describe(`${names}. null: claude.`),
      })
      .describe('Every role that names none itself.')
      .prefault({}),
    planner: z
      .strictObject({ adapter: agentAdapter.describe(`${names}. null: the default.`) })
      .describe('Plans the tasks.')
      .prefault({}),
    worker: z
      .strictObject({
        adapter: agentAdapter.describe(
          `${names}, or exec: a task’s description is its script. null: the default.`,
        ),
      })
      .describe('Writes the code.')
      .prefault({}),
    validator: z
      .strictObject({
        adapter: checkingAdapter.describe(
          `${names}, or none: the diagnostics decide. null: the default, or none beside an exec worker.`,
        ),
      })
      .describe('Judges a finished task.')
      .prefault({}),
    merger: z
      .strictObject({
        adapter: checkingAdapter.describe(
          `${names}, or none: conflicts go back. null: the default, or none beside an exec worker.`,
        ),
      })
      .describe('Resolves conflicts.')
      .prefault({}),
    queen: z
      .strictObject({ adapter: agentAdapter.describe(`${names}. null: the default.`) })
      .describe('Leads a session, with git flame run --queen.')
      .prefault({}),
  })
  .describe('Which agent CLI plays which role.');
