import * as z from 'zod';
import { memoryProviderNames } from '../state/memory.ts';
import { lineSchema } from '../text-schemas.ts';
import { trustConfigSchema } from './allowed-signers.ts';
import { concurrencySchema, limitsSchema, machinesSchema, sandboxSchema } from './config-limits.ts';
import { projectSchema, pullRequestsSchema } from './config-project.ts';
import { leadAgentSchema, modelsSchema, rolesSchema } from './config-roles.ts';
import { permissionsSchema, validationSchema } from './config-rules.ts';
import { adapterNames } from './known-clis.ts';
import { supportedSchemaVersion } from './schema-version.ts';
import { durationSchema, nonEmptyTextSchema } from './value-schemas.ts';

// Every key has a description: the JSON Schema shows them in editors, and `.blueflame.example.yml` is made of them.

export { namingStyles } from './config-rules.ts';

const superpowersSchema = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Give agents the skills of the superpowers plugin.'),
    skills: z
      .array(nonEmptyTextSchema)
      .default([])
      .describe('The skills to give.')
      .meta({ examples: [['test-driven-development', 'systematic-debugging']] }),
    plugin_dir: nonEmptyTextSchema
      .nullable()
      .default(null)
      .describe('Folder of the plugin. null: where claude installs plugins.'),
  })
  .describe('Skills for agents.');

const beadsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Keep memory in Beads: with its program bd, 1.0 or newer, in the workspace of your work tree. If Beads can’t be used, memory is kept in git notes, with one warning.',
      ),
    archive_after_wave: z.boolean().default(true).describe('Save results after each cycle.'),
    include_failure_notes: z.boolean().default(true).describe('Remember what failed, and why.'),
    memory_decay: z.boolean().default(true).describe('Shorten old entries.'),
    decay_policy: z
      .strictObject({
        summarize_after_sessions: z.int().min(1).default(3).describe('After this many sessions, a task is one line.'),
        preserve_failures_sessions: z.int().min(1).default(5).describe('For this many sessions, failures stay whole.'),
      })
      .describe('How memory ages, counted in sessions.')
      .prefault({}),
  })
  .describe('Memory from session to session.');

const memorySchema = z
  .strictObject({
    provider: z
      .enum(memoryProviderNames)
      .default('notes')
      .describe('notes: in git, on refs/blueflame/memory. none: every session starts without it.'),
    max_bytes: z
      .int()
      .min(500)
      .max(10_000)
      .default(8_000)
      .describe('The most of it that a planner receives, in bytes.'),
    others: z
      .boolean()
      .default(false)
      .describe('Whether a planner also receives the memory of other clones, marked as theirs.'),
  })
  .describe('What a planner learns from earlier sessions; beads sets how it ages, and whether Beads keeps it.');

const hooksSchema = z
  .strictObject({
    post_plan: z.string().default('').describe('After a plan is approved.'),
    pre_validation: z.string().default('').describe('Before validation; if it fails, the wave stops.'),
    post_merge: z.string().default('').describe('After work has landed.'),
    on_failure: z.string().default('').describe('When a task has failed.'),
    on_waiting: z
      .string()
      .default('')
      .describe(
        'When a person must decide; $FLAME_MESSAGE names the question. The command is stopped once the question is answered.',
      ),
    timeout: durationSchema('timer').prefault('1m').describe('Time limit of each command.'),
  })
  .describe('Your own commands. They receive the facts as FLAME_ variables and as JSON on stdin.');

const adapterSchema = z
  .strictObject({
    command: z
      .array(nonEmptyTextSchema)
      .min(1)
      .optional()
      .describe('The program to run and its first arguments.')
      .meta({ examples: [['/opt/claude/bin/claude']] }),
  })
  .describe('How to start one agent CLI.');

/** Everything `.blueflame.yml` can say. Durations are milliseconds once parsed. */
export const configSchema = z
  .strictObject({
    schema_version: z
      .int()
      .min(1)
      .default(supportedSchemaVersion)
      .describe('Version of this file’s format; `git flame config migrate` raises it.'),
    project: projectSchema.prefault({}),
    pull_requests: pullRequestsSchema.prefault({}),
    concurrency: concurrencySchema.prefault({}),
    limits: limitsSchema.prefault({}),
    sandbox: sandboxSchema.prefault({}),
    planning: z
      .strictObject({
        interactive: z.boolean().default(true).describe('At a terminal, talk with the planner first.'),
      })
      .describe('The planner.')
      .prefault({}),
    prompts: z
      .strictObject({
        project_files: z
          .array(lineSchema(500))
          .default(['AGENTS.md', 'CLAUDE.md'])
          .describe('Files of the repository whose text agents receive, as it was when the work began. []: none.'),
        max_characters: z
          .int()
          .min(1)
          .max(200_000)
          .default(12_000)
          .describe('Their greatest length together; longer text is cut, and marked as cut.'),
      })
      .describe('What agents read.')
      .prefault({}),
    models: modelsSchema.prefault({}),
    permissions: permissionsSchema.prefault({}),
    validation: validationSchema.prefault({}),
    superpowers: superpowersSchema.prefault({}),
    beads: beadsSchema.prefault({}),
    memory: memorySchema.prefault({}),
    hooks: hooksSchema.prefault({}),
    roles: rolesSchema.prefault({}),
    queen: leadAgentSchema.prefault({}),
    adapters: z
      .record(
        z.string().refine((name) => adapterNames.some((known) => known === name), {
          error: 'is not an adapter',
          params: { known: adapterNames },
        }),
        adapterSchema,
      )
      .default({})
      .describe('Agent CLIs that are not in PATH.')
      .meta({ examples: [{ claude: { command: ['/opt/claude/bin/claude'] } }] }),
    machines: machinesSchema.prefault({}),
    trust: trustConfigSchema.prefault({}),
    retention: z
      .strictObject({
        logs: durationSchema('age').prefault('30d').describe('`git flame cleanup` removes logs older than this.'),
        rescues: durationSchema('age')
          .prefault('90d')
          .describe('`git flame cleanup` lists rescues older than this; --rescues removes them.'),
        sessions: z.int().min(1).default(20).describe('Sessions that stay in the lists; older ones are archived.'),
      })
      .describe('What `git flame cleanup` keeps.')
      .prefault({}),
  })
  .describe('Configuration of git-flame.');
export type Config = z.infer<typeof configSchema>;

/** The short name of the branch a session's work lands on with `project.landing: branch`. */
export function landingBranchName(config: Config, session: string): string {
  return config.project.landing_branch.replaceAll('{session}', session);
}
