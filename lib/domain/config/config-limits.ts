import * as z from 'zod';
import { joinedMachineRoleSchema } from '../state/machine-schemas.ts';
import { egressSchema } from './egress.ts';
import { durationSchema } from './value-schemas.ts';

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
    adaptive: z.boolean().default(true).describe('Start fewer agents when memory is short.'),
    adaptive_min_ram_per_agent_mb: z.int().min(1).default(600).describe('Free memory one agent needs, in MB.'),
    overlap: z
      .enum(['build-on', 'separate'])
      .default('build-on')
      .describe(
        'Where a task starts whose locks overlap with those of finished work. build-on: from that work. separate: from the base, so that the two may conflict.',
      ),
  })
  .describe('How many agents run at once, and where they start.');

const tokenBudgetSchema = z
  .strictObject({
    planner_usd: usd.default(0.4).describe('0: unlimited.'),
    planner_tokens: tokens.default(0).describe('Replaces planner_usd. 0: not used.'),
    worker_usd: usd.default(1.5).describe('0: unlimited.'),
    worker_tokens: tokens.default(0).describe('Replaces worker_usd. 0: not used.'),
    validator_usd: usd.default(0.15).describe('0: unlimited.'),
    validator_tokens: tokens.default(0).describe('Replaces validator_usd. 0: not used.'),
    merger_usd: usd.default(0.5).describe('0: unlimited.'),
    merger_tokens: tokens.default(0).describe('Replaces merger_usd. 0: not used.'),
    queen_usd: usd.default(2).describe('0: unlimited.'),
    queen_tokens: tokens.default(0).describe('Replaces queen_usd. 0: not used.'),
    warn_threshold: share.optional().describe('Former place of limits.warn_threshold, which takes precedence.').meta({
      deprecated: true,
    }),
  })
  .describe('What one agent of a role may spend: in US dollars or in tokens, not both.');

export const limitsSchema = z
  .strictObject({
    agent_timeout: durationSchema('timer').prefault('5m').describe('An agent that runs longer is stopped.'),
    question_timeout: z
      .union([z.literal('never'), durationSchema('timer')])
      .prefault('10m')
      .describe(
        'How long an agent waits for answers to its questions, in total; then it continues without them. never: agents can’t ask.',
      ),
    heartbeat_interval: durationSchema('timer').prefault('30s').describe('How often agents are checked.'),
    max_retries: z.int().min(0).max(20).default(2).describe('Further attempts at a failed task.'),
    max_wave_cycles: z.int().min(1).max(1_000).default(5).describe('A session ends after this many cycles.'),
    claim_timeout: z
      .union([z.literal('never'), durationSchema('age')])
      .prefault('never')
      .describe('A claim of a person ends after this time, or never.'),
    wait_for_service: z
      .union([z.enum(['always', 'never']), durationSchema('age')])
      .prefault('always')
      .describe(
        'How long a run waits until a limit of the model’s service ends, such as the hours of a subscription. If the limit ends later, the run ends and keeps everything. never: wait a minute at most.',
      ),
    max_session_cost_usd: usd.default(10).describe('What one session may spend, in US dollars. 0: unlimited.'),
    max_session_tokens: tokens.default(0).describe('The same in tokens; replaces max_session_cost_usd. 0: not used.'),
    token_budget: tokenBudgetSchema.prefault({}),
    warn_threshold: share.optional().describe('Warn when this share of a budget is spent.').meta({ default: 0.8 }),
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
      .describe('What one agent may write to disk in total, in its worktree and temporary files, in MB.'),
    max_open_files: z.int().min(64).default(1024).describe('Files it may have open.'),
    max_processes: z.int().min(32).default(1024).describe('Processes and threads of one agent at once.'),
    read_paths: z
      .array(z.string().regex(/^(?:~\/|\/)./, 'must be an absolute path, or one in your home: ~/…'))
      .default([])
      .describe(
        'Folders and files that agents may read, in addition to the system, the programs in PATH and the repository.',
      ),
    allow_network: z
      .literal(false, 'must be false: agents never have a network')
      .default(false)
      .describe('Always false: cells reach the API of their model, the hosts in egress, and nothing else.'),
    egress: egressSchema.prefault({}),
    require: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Refuse to work without a sandbox. null: true, except at a terminal for workers of the exec adapter.'),
  })
  .describe('Limits that the operating system enforces on each agent.');

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
      .describe('A machine that sent no heartbeat for this time loses its claims: its tasks are free again.'),
    renew: durationSchema('timer')
      .prefault('3m')
      .describe('How often a machine sends a heartbeat; at most a third of lease.'),
    pushes_per_minute: z
      .number()
      .min(1)
      .nullable()
      .default(null)
      .describe('Pushes per minute of all machines together. null: 6 at github.com, no limit elsewhere.'),
    roles: z
      .array(joinedMachineRoleSchema)
      .min(1)
      .default(['work', 'validate'])
      .describe(
        'Roles that a joining machine offers. Verdicts count once the lead trusts it (git flame machines --trust). git flame work --join --role overrides this.',
      ),
  })
  .refine(({ lease, renew }) => lease >= 3 * renew && lease >= shortestLeaseMs, {
    path: ['lease'],
    error: 'must be at least three times renew, and a second',
  })
  .describe('Several machines on one session (`run --remote`, `work --join`).');
