import * as z from 'zod';
import { sharedRoleSchema } from '../state/machine.ts';
import { durationSchema } from './config-values.ts';
import { egressSchema } from './egress.ts';

// Resources of agents: the sections concurrency, limits and sandbox of `.blueflame.yml`.

const usd = z.number().min(0);
const tokens = z.int().min(0);
const share = z.number().min(0).max(1);

export const concurrencySchema = z
  .strictObject({
    planning: z.literal(1).default(1).describe('Always 1.'),
    development: z.int().min(1).max(8).default(4).describe('Workers at once, 1 to 8.'),
    validation: z.int().min(1).max(8).default(2).describe('Validators at once, 1 to 8.'),
    merge: z.literal(1).default(1).describe('Always 1.'),
    adaptive: z.boolean().default(true).describe('Start fewer agents where memory is short.'),
    adaptive_min_ram_per_agent_mb: z
      .int()
      .min(1)
      .default(600)
      .describe('Free memory one agent needs, in MB.'),
    overlap: z
      .enum(['build-on', 'separate'])
      .default('build-on')
      .describe(
        'What a task starts from whose locks overlap with those of finished work: from that work, or from the base, so that the two may conflict.',
      ),
  })
  .describe('How many agents run at once, and what they start from.');

const tokenBudgetSchema = z
  .strictObject({
    planner_usd: usd.default(0.4).describe('0: unlimited.'),
    planner_tokens: tokens.default(0).describe('Set it and planner_usd no longer counts. 0: not used.'),
    worker_usd: usd.default(1.5).describe('0: unlimited.'),
    worker_tokens: tokens.default(0).describe('Set it and worker_usd no longer counts. 0: not used.'),
    validator_usd: usd.default(0.15).describe('0: unlimited.'),
    validator_tokens: tokens.default(0).describe('Set it and validator_usd no longer counts. 0: not used.'),
    merger_usd: usd.default(0.5).describe('0: unlimited.'),
    merger_tokens: tokens.default(0).describe('Set it and merger_usd no longer counts. 0: not used.'),
    queen_usd: usd.default(2).describe('0: unlimited.'),
    queen_tokens: tokens.default(0).describe('Set it and queen_usd no longer counts. 0: not used.'),
    warn_threshold: share.optional().describe('Its old place; limits.warn_threshold goes first.').meta({
      deprecated: true,
    }),
  })
  .describe('What one agent may spend, by role: in US dollars or in tokens, not both.');

export const limitsSchema = z
  .strictObject({
    agent_timeout: durationSchema('timer').prefault('5m').describe('An agent that runs longer is ended.'),
    question_timeout: z
      .union([z.literal('never'), durationSchema('timer')])
      .prefault('10m')
      .describe(
        'How long an agent that asks you something waits for your answer, all it asks together; then it goes on by itself. never: agents are offered no way to ask.',
      ),
    heartbeat_interval: durationSchema('timer').prefault('30s').describe('How often agents are looked at.'),
    max_retries: z.int().min(0).max(20).default(2).describe('Further attempts at a task that failed.'),
    max_wave_cycles: z.int().min(1).max(1_000).default(5).describe('A session ends after this many cycles.'),
    claim_timeout: z
      .union([z.literal('never'), durationSchema('age')])
      .prefault('never')
      .describe('A task that a person claimed by hand is free again after this time, or never.'),
    wait_for_service: z
      .union([z.enum(['always', 'never']), durationSchema('age')])
      .prefault('always')
      .describe(
        'How long a run waits for the end of a limit of a model’s service, such as the hours of a subscription. What ends later ends the run, with everything kept. never: a minute at most.',
      ),
    max_session_cost_usd: usd
      .default(10)
      .describe('What one session may spend, in US dollars. 0: unlimited.'),
    max_session_tokens: tokens
      .default(0)
      .describe('The same in tokens. Set it and max_session_cost_usd no longer counts. 0: not used.'),
    token_budget: tokenBudgetSchema.prefault({}),
    warn_threshold: share
      .optional()
      .describe('Warn when this share of a budget is spent.')
      .meta({ default: 0.8 }),
  })
  .describe('Time, attempts and money. Durations are written like 90s, 5m, 1h30m.')
  .transform(settleLimits);

export const sandboxSchema = z
  .strictObject({
    max_cpu_seconds: z.int().min(1).default(600).describe('CPU time of one agent.'),
    max_memory_mb: z.int().min(64).default(2048).describe('Memory of one agent, in MB.'),
    max_file_size_mb: z
      .int()
      .min(1)
      .default(50)
      .describe(
        'The largest file it may write, in MB. Commands of the project may write larger ones, up to max_disk_mb.',
      ),
    max_disk_mb: z
      .int()
      .min(1)
      .default(10_240)
      .describe('What one agent may write to disk in all, its worktree and temporary files, in MB.'),
    max_open_files: z.int().min(64).default(1024).describe('Files it may have open.'),
    max_processes: z.int().min(32).default(1024).describe('Processes and threads of one agent at once.'),
    read_paths: z
      .array(z.string().regex(/^(?:~\/|\/)./, 'must be an absolute path, or one in your home: ~/…'))
      .default([])
      .describe(
        'Folders and files that cells show beside the system, the programs in PATH and the repository, for reading.',
      ),
    allow_network: z
      .literal(false, 'must be false: agents never have a network')
      .default(false)
      .describe('Always false: cells reach the API of their model, what egress names, and nothing else.'),
    egress: egressSchema.prefault({}),
    require: z
      .boolean()
      .nullable()
      .default(null)
      .describe(
        'Refuse to work where there is no sandbox. null: true, but at a terminal false for workers of the exec adapter.',
      ),
  })
  .describe('What the operating system holds each agent to.');

interface RawLimits {
  readonly max_session_cost_usd: number;
  readonly max_session_tokens: number;
  readonly token_budget: z.output<typeof tokenBudgetSchema>;
  readonly warn_threshold?: number | undefined;
}

/** A limit in tokens puts the default in dollars out of force; both written down is an error found elsewhere. */
function settleLimits<Limits extends RawLimits>(limits: Limits) {
  const { warn_threshold: oldThreshold, ...budget } = limits.token_budget;
  const offIf = (tokenLimit: number, usdLimit: number): number => (tokenLimit > 0 ? 0 : usdLimit);
  return {
    ...limits,
    max_session_cost_usd: offIf(limits.max_session_tokens, limits.max_session_cost_usd),
    token_budget: {
      ...budget,
      planner_usd: offIf(budget.planner_tokens, budget.planner_usd),
      worker_usd: offIf(budget.worker_tokens, budget.worker_usd),
      validator_usd: offIf(budget.validator_tokens, budget.validator_usd),
      merger_usd: offIf(budget.merger_tokens, budget.merger_usd),
      queen_usd: offIf(budget.queen_tokens, budget.queen_usd),
    },
    warn_threshold: limits.warn_threshold ?? oldThreshold ?? 0.8,
  };
}

const shortestLeaseMs = 1_000;

export const machinesSchema = z
  .strictObject({
    lease: durationSchema('timer')
      .prefault('10m')
      .describe('A machine that gave no sign of life for so long is given up: its tasks are free again.'),
    renew: durationSchema('timer')
      .prefault('3m')
      .describe('How often a machine gives a sign of life; at most a third of lease.'),
    pushes_per_minute: z
      .number()
      .min(1)
      .nullable()
      .default(null)
      .describe('Pushes of all machines together. null: 6 at github.com, elsewhere as many as are needed.'),
    roles: z
      .array(sharedRoleSchema)
      .min(1)
      .default(['work', 'validate'])
      .describe(
        'What a machine that joins offers to do. All but work it does only where the lead trusts it; work --join --role says otherwise.',
      ),
    trusted: z
      .array(
        z.strictObject({
          key: z.string().min(1),
          roles: z.array(sharedRoleSchema).min(1),
          until: z.iso.date().optional().describe('The last day on which it counts (UTC).'),
        }),
      )
      .default([])
      .describe(
        'Keys of machines, as git flame machines shows them, whose word counts with this lead, and in which roles; more: git flame machines --trust.',
      ),
  })
  .refine(({ lease, renew }) => lease >= 3 * renew && lease >= shortestLeaseMs, {
    path: ['lease'],
    error: 'must be at least three times renew, and a second',
  })
  .describe('Several machines on one session (`run --remote`, `work --join`).');
