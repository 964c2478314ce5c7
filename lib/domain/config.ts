import { z } from 'zod';
import { taskIdPattern } from './ids.ts';
import type { Role } from './role.ts';

export const supportedSchemaVersion = 1;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `5m`, `1h30m`, `30d`, or a number of seconds; parsed to milliseconds. */
const duration = z.union([z.string(), z.number()]).transform((value, context) => {
  const text = typeof value === 'number' ? `${value}s` : value.trim();
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== text) {
    context.addIssue({
      code: 'custom',
      message: 'is not a duration',
      params: { hint: 'write it like 90s, 5m, 1h30m or 30d' },
    });
    return z.NEVER;
  }
  return parts.reduce((sum, part) => sum + Number(part[1]) * (units[part[2] ?? 's'] ?? 0), 0);
});

const glob = z
  .string()
  .min(1, 'is empty')
  .refine(
    (text) => !text.startsWith('/') && !/(?:^|\/)\.\.(?:\/|$)/.test(text),
    'must be relative to the repository and stay inside it',
  )
  .refine(hasBalancedBrackets, 'is not a valid glob: a bracket or brace is never closed');
const regex = z.string().superRefine((text, context) => {
  try {
    new RegExp(text, 'u');
  } catch (error) {
    context.addIssue({ code: 'custom', message: `is not a valid regular expression: ${reasonOf(error)}` });
  }
});
const usd = z.number().min(0);
const tokens = z.int().min(0);
const limitPair = { usd, tokens };

const projectSchema = z.strictObject({
  name: z.string().min(1).max(100).default('project'),
  /** null: the branch that is checked out when a session starts. */
  base_branch: z.string().min(1).nullable().default(null),
  worktree_dir: z.string().min(1).default('.trees'),
  setup: z.array(z.string()).default([]),
  copy: z.array(glob).default([]),
  link: z.array(glob).default([]),
  landing: z.enum(['base', 'branch']).default('base'),
});

const concurrencySchema = z.strictObject({
  planning: z.literal(1).default(1),
  development: z.int().min(1).max(8).default(4),
  validation: z.int().min(1).max(8).default(2),
  merge: z.literal(1).default(1),
  adaptive: z.boolean().default(true),
  adaptive_min_ram_per_agent_mb: z.int().min(1).default(600),
});

const tokenBudgetSchema = z.strictObject({
  planner_usd: limitPair.usd.default(0.4),
  planner_tokens: limitPair.tokens.default(0),
  worker_usd: limitPair.usd.default(1.5),
  worker_tokens: limitPair.tokens.default(0),
  validator_usd: limitPair.usd.default(0.15),
  validator_tokens: limitPair.tokens.default(0),
  merger_usd: limitPair.usd.default(0.5),
  merger_tokens: limitPair.tokens.default(0),
  /** Where the first design had it; limits.warn_threshold is read first. */
  warn_threshold: z.number().min(0).max(1).optional(),
});

const limitsSchema = z.strictObject({
  agent_timeout: duration.default(300_000),
  heartbeat_interval: duration.default(30_000),
  max_retries: z.int().min(0).max(20).default(2),
  max_wave_cycles: z.int().min(1).max(1_000).default(5),
  max_session_cost_usd: usd.default(10),
  max_session_tokens: tokens.default(0),
  token_budget: tokenBudgetSchema.prefault({}),
  warn_threshold: z.number().min(0).max(1).default(0.8),
});

const sandboxSchema = z.strictObject({
  max_cpu_seconds: z.int().min(1).default(600),
  max_memory_mb: z.int().min(64).default(2048),
  max_file_size_mb: z.int().min(1).default(50),
  max_open_files: z.int().min(64).default(1024),
  allow_network: z.literal(false, 'must be false: agents never have a network').default(false),
  /** null: true where a model runs the commands, false for exec. */
  require: z.boolean().nullable().default(null),
});

const modelsSchema = z.strictObject({
  planner: z.string().min(1).default('sonnet'),
  worker: z.string().min(1).default('sonnet'),
  validator: z.string().min(1).default('haiku'),
  merger: z.string().min(1).default('sonnet'),
  /** Worker model by cohesion group; a task's own model wins. */
  groups: z.record(z.string(), z.string().min(1)).default({}),
});

export const defaultBlockedPaths = ['.env*', '**/.env*', '*.secret', '**/*.secret', '*.key', '**/*.key'];
const bashRulesSchema = z.strictObject({
  allowed_commands: z
    .array(z.string().min(1))
    .default([
      'git status',
      'git diff',
      'git log',
      'git show',
      'git add',
      'git commit',
      'ls',
      'cat',
      'head',
      'tail',
      'wc',
      'grep',
      'pwd',
      'echo',
      'mkdir',
    ]),
  blocked_patterns: z.array(regex).default([]),
  allowed_env: z
    .array(z.string().regex(/^[A-Za-z_]\w*$/, 'is not a variable name'))
    .default(['CI', 'NODE_ENV', 'FORCE_COLOR', 'NO_COLOR', 'TZ', 'LANG', 'LC_ALL']),
});

const permissionsSchema = z.strictObject({
  allowed_paths: z.array(glob).default(['**']),
  blocked_paths: z.array(glob).default(defaultBlockedPaths),
  allowed_tools: z.array(z.string().min(1)).default(['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash']),
  blocked_tools: z
    .array(z.string().min(1))
    .default(['WebFetch', 'WebSearch', 'NotebookEdit', 'Task', 'Agent']),
  bash_rules: bashRulesSchema.prefault({}),
});

export const namingStyles = ['snake_case', 'kebab-case', 'camelCase', 'PascalCase'] as const;
const validationSchema = z.strictObject({
  commit_format: z
    .strictObject({
      /** Empty: any message. */
      pattern: regex.default(''),
      example: z.string().default(''),
      apply_to: z.enum(['tasks', 'all']).default('tasks'),
    })
    .prefault({}),
  file_naming: z
    .strictObject({
      style: z.enum(namingStyles).nullable().default(null),
      enforce_for: z.array(glob).default([]),
    })
    .prefault({}),
  require_tests: z
    .strictObject({
      enabled: z.boolean().default(false),
      source_patterns: z.array(glob).default([]),
      test_patterns: z.array(glob).default([]),
    })
    .prefault({}),
  file_scope: z.strictObject({ enforce: z.boolean().default(true) }).prefault({}),
  validator_diagnostics: z
    .strictObject({
      enabled: z.boolean().default(true),
      commands: z.array(z.string().min(1)).default([]),
      timeout: duration.default(120_000),
    })
    .prefault({}),
});

const hooksSchema = z.strictObject({
  post_plan: z.string().default(''),
  pre_validation: z.string().default(''),
  post_merge: z.string().default(''),
  on_failure: z.string().default(''),
  on_waiting: z.string().default(''),
  timeout: duration.default(60_000),
});

const roleSettingsSchema = z.strictObject({
  /** An adapter's name; `none` for a validator (diagnostics alone) or merger (git alone). null: see roleAdapter. */
  adapter: z.string().regex(taskIdPattern).nullable().default(null),
});

export const adapterNames = ['claude', 'exec'] as const;

/** Everything `.blueflame.yml` can say. Durations are milliseconds once parsed. */
export const configSchema = z.strictObject({
  schema_version: z.int().min(1).default(supportedSchemaVersion),
  project: projectSchema.prefault({}),
  concurrency: concurrencySchema.prefault({}),
  limits: limitsSchema.prefault({}),
  sandbox: sandboxSchema.prefault({}),
  planning: z.strictObject({ interactive: z.boolean().default(true) }).prefault({}),
  models: modelsSchema.prefault({}),
  roles: z
    .strictObject({
      planner: roleSettingsSchema.prefault({}),
      worker: roleSettingsSchema.prefault({}),
      validator: roleSettingsSchema.prefault({}),
      merger: roleSettingsSchema.prefault({}),
    })
    .prefault({}),
  adapters: z
    .record(
      z.string().regex(taskIdPattern),
      z.strictObject({ command: z.array(z.string().min(1)).min(1).optional() }),
    )
    .default({}),
  permissions: permissionsSchema.prefault({}),
  validation: validationSchema.prefault({}),
  superpowers: z
    .strictObject({
      enabled: z.boolean().default(false),
      skills: z.array(z.string().min(1)).default([]),
      plugin_dir: z.string().nullable().default(null),
    })
    .prefault({}),
  beads: z
    .strictObject({
      enabled: z.boolean().default(false),
      archive_after_wave: z.boolean().default(true),
      include_failure_notes: z.boolean().default(true),
      memory_decay: z.boolean().default(true),
      decay_policy: z
        .strictObject({
          summarize_after_sessions: z.int().min(1).default(3),
          preserve_failures_sessions: z.int().min(1).default(5),
        })
        .prefault({}),
    })
    .prefault({}),
  hooks: hooksSchema.prefault({}),
  retention: z
    .strictObject({ logs: duration.default(30 * 86_400_000), sessions: z.int().min(1).default(20) })
    .prefault({}),
});
export type Config = z.infer<typeof configSchema>;

/** The adapter a role runs with: its own setting, else `claude`; beside an exec worker nothing needs a model. */
export function roleAdapter(config: Config, role: Role): string {
  const own = config.roles[role].adapter;
  if (own !== null) return own;
  const isCheckingRole = role === 'validator' || role === 'merger';
  return isCheckingRole && config.roles.worker.adapter === 'exec' ? 'none' : 'claude';
}

/** A role's budget for one agent; `limit` 0 is unlimited. */
export function roleBudget(
  config: Config,
  role: Role,
): { readonly unit: 'usd' | 'tokens'; readonly limit: number } {
  const budget = config.limits.token_budget;
  const tokenLimit = budget[`${role}_tokens`];
  return tokenLimit > 0
    ? { unit: 'tokens', limit: tokenLimit }
    : { unit: 'usd', limit: budget[`${role}_usd`] };
}

function hasBalancedBrackets(text: string): boolean {
  const bare = text.replace(/\\./g, '');
  return /^(?:[^[\]{}]|\[[^\]]+\]|\{[^{}]*\})*$/.test(bare);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
}
