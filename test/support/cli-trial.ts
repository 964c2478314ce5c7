import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { AuditLine } from '../../lib/domain/agent-policy.ts';
import { isJsonRecord } from '../../lib/util/json.ts';
import { closeProjects, openClaudeProject, processesAbout, type ShownTask, tasksOf } from './claude-project.ts';
import { type HookedName, hands, hookedNames } from './cli-hands.ts';
import { copilotFiles, findCli } from './clis.ts';
import { writeDecisions } from './exec-project.ts';
import { findClaude } from './model-namespace.ts';
import { startScriptedModel, type Turn } from './scripted-model.ts';
import { answers, plansAtLast, roleAsked } from './scripted-planner.ts';

// A whole session with one CLI in a clone of any repository, by a script of what its model says.

const callStep = z.union([
  z.strictObject({ read: z.string() }),
  /** Path, and the line that becomes its content; for a file that is not there. */
  z.strictObject({ write: z.tuple([z.string(), z.string()]) }),
  /** Path, the lines as the file has them, and the line in their place. */
  z.strictObject({ replace: z.tuple([z.string(), z.array(z.string()), z.string()]) }),
  z.strictObject({ run: z.string() }),
  /** A call by the CLI's own name of a tool. */
  z.strictObject({
    call: z.strictObject({
      name: z.string(),
      input: z.union([z.string(), z.record(z.string(), z.unknown())]),
    }),
  }),
]);

const stepSchema = z.union([
  callStep,
  /** Words, and no more calls: the end. */
  z.strictObject({ say: z.string() }),
  /** Calls of one turn. */
  z.strictObject({ together: z.array(callStep) }),
  /** How the model API refuses the next request, so many times. */
  z.strictObject({
    fails: z.strictObject({
      times: z.int().positive().default(1),
      status: z.number(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.record(z.string(), z.unknown()),
    }),
  }),
  z.strictObject({ hangs: z.literal(true) }),
]);

/** What a person writes for a trial. */
const trialSchema = z.strictObject({
  objective: z.string().default('Try an agent'),
  /** As in a plan file; `description` is what the worker is told. */
  task: z.looseObject({ description: z.string(), file_locks: z.array(z.string()) }),
  /** One a turn: the first is said at once, each next one when its calls are answered. */
  turns: z.array(stepSchema),
  /** By whom the plan is made; `model`: by the CLI, whose first answer is no plan. */
  planner: z.enum(['file', 'model']).default('file'),
  /** What the CLI as validator answers; null: the diagnostics decide. */
  verdict: z.enum(['pass', 'fail']).nullable().default(null),
  model: z.string().optional(),
  /** Sections of `.blueflame.yml`; those that a trial needs are put over them. */
  config: z.record(z.string(), z.unknown()).default({}),
  decisions: z.record(z.string(), z.array(z.unknown())).default({}),
});
export type Trial = z.infer<typeof trialSchema>;
type Step = Trial['turns'][number];

export interface TrialReport {
  readonly cli: string;
  readonly exit_code: number | null;
  readonly tasks: readonly Pick<ShownTask, 'id' | 'status' | 'reason' | 'result'>[];
  /** Commits and files that came onto the branch. */
  readonly landed: { readonly log: string; readonly files: string };
  /** What the model was told of each of its calls, in order. */
  readonly told: readonly { readonly tool: string | null; readonly text: string }[];
  readonly requests: number;
  readonly audit: readonly Pick<AuditLine, 'tool' | 'target' | 'decision' | 'rule' | 'details'>[];
  readonly failures: readonly unknown[];
  /** What was there of the agents once all was over; empty where nothing was. */
  readonly left: Readonly<Record<string, readonly string[]>>;
  readonly stderr: string;
}

const models: Readonly<Record<HookedName, string>> = {
  claude: 'sonnet',
  codex: 'gpt-5.5',
  opencode: 'anthropic/claude-sonnet-4-6',
  gemini: 'gemini-2.5-pro',
  kimi: 'kimi-k2.6',
  copilot: 'gpt-5.5',
};
const key = 'sk-outside-of-a-trial-5f3b';

/** The command of a CLI that is installed for tests; null where it isn't. */
export function trialCommand(cli: HookedName): readonly string[] | null {
  const claude = findClaude();
  return cli === 'claude' ? (claude === null ? null : [claude]) : findCli(cli);
}

/** A script as a person wrote it. Throws Error that says what is wrong in it. */
export function parseTrial(text: string): Trial {
  const trial = trialSchema.safeParse(JSON.parse(text));
  if (trial.success) return trial.data;
  throw new Error(`A trial can't be this:\n${z.prettifyError(trial.error)}`);
}

export function parseCliName(name: string): HookedName | null {
  return hookedNames.find((one) => one === name) ?? null;
}

/** To be called in a network namespace. `repository`: a folder to clone, at its HEAD; null: a small one. */
export async function tryCli(cli: HookedName, trial: Trial, repository: string | null): Promise<TrialReport> {
  const says = speaker(cli, trial.turns);
  const dialects = ['anthropic', 'responses', 'gemini', 'chat'] as const;
  const model = await startScriptedModel(dialects, (_turn, { body, results }) => {
    const role = roleAsked(body);
    if (role === 'planner') return plansAtLast(body, results.length, [planned(trial)]);
    if (role === 'validator')
      return answers(body, results.length, { status: trial.verdict, notes: 'As scripted.', issues: [] });
    return says(results.length);
  });
  const base = [model.url, `${model.url}/v1`] as const;
  const command = trialCommand(cli) ?? [cli];
  const { repo, root, flame } = await openClaudeProject({
    script: () => ({ text: 'nobody asks this one' }),
    env: {
      ...copilotFiles,
      ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: base[0] },
      ...{ OPENAI_API_KEY: key, OPENAI_BASE_URL: base[1] },
      ...{ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: base[0] },
      ...{ MOONSHOT_API_KEY: key, MOONSHOT_BASE_URL: base[1] },
    },
    ...(repository === null ? {} : { repository }),
    config: configOf(cli, trial, command),
  });
  const start = repo.git('rev-parse', 'main');
  const home = readdirSync(join(root, 'home'));
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: ['approve'],
    session: ['stop'],
    ...trial.decisions,
  });
  repo.write('.git/trial.json', JSON.stringify({ tasks: [planned(trial)] }));
  const from = trial.planner === 'file' ? ['--from', '.git/trial.json'] : [];
  const run = await flame('run', trial.objective, ...from, '--decisions-file', decisions);
  const workers = run.lines.filter(({ event, role }) => event === 'agent-started' && role === 'worker');
  const ofWorker = model.seen.filter(({ body, isMain }) => isMain && roleAsked(body) === 'worker');
  const logs = join(repo.path, '.git/blueflame');
  const report: TrialReport = {
    cli,
    exit_code: run.code,
    tasks: tasksOf(run).map(({ id, status, reason, result }) => ({ id, status, reason, result })),
    landed: {
      log: repo.git('log', '--format=%an: %s', `${start}..main`),
      files: repo.git('diff', '--name-status', start, 'main'),
    },
    told: (ofWorker.at(-1)?.results ?? []).map(({ name, text }) => ({
      tool: name,
      text: text.slice(0, 2_000),
    })),
    requests: model.seen.length,
    audit: workers.flatMap(({ agent }) => auditOf(join(logs, 'logs', `${agent}.audit.jsonl`))),
    failures: run.lines.filter(({ event }) => event === 'task-failed'),
    left: {
      processes: processesAbout(root),
      runs: listOf(join(logs, 'run')),
      home: listOf(join(root, 'home')).filter((name) => !home.includes(name)),
      tmp: listOf(join(root, 'tmp')),
      changes: repo.git('status', '--porcelain').split('\n').filter(Boolean),
      key: JSON.stringify(model.seen.map(({ body }) => body)).includes(key) ? ['told to the model'] : [],
    },
    stderr: run.stderr,
  };
  await model.close();
  await closeProjects();
  return report;
}

function planned({ task }: Trial): Readonly<Record<string, unknown>> {
  return { id: 'trial', title: 'Trial', priority: 1, cohesion_group: 'trial', ...task };
}

function configOf(cli: HookedName, trial: Trial, command: readonly string[]): Readonly<Record<string, unknown>> {
  const model = trial.model ?? models[cli];
  const { limits, ...config } = trial.config;
  return {
    limits: {
      ...{ agent_timeout: '3m', max_retries: 0, max_session_cost_usd: 0, max_session_tokens: 1_000_000 },
      token_budget: Object.fromEntries(
        ['planner', 'worker', 'validator', 'merger'].flatMap((role) => [
          [`${role}_usd`, 0],
          [`${role}_tokens`, 500_000],
        ]),
      ),
      ...(isJsonRecord(limits) ? limits : {}),
    },
    ...config,
    adapters: { [cli]: { command } },
    roles: { default: { adapter: cli }, validator: { adapter: trial.verdict === null ? 'none' : cli } },
    models: { default: model },
  };
}

/** A turn is said once there are as many results as there were calls before it. */
function speaker(cli: HookedName, turns: readonly Step[]): (told: number) => Turn {
  const refused = new Map<Step, number>();
  const isOver = (step: Step): boolean => {
    const count = refused.get(step) ?? 0;
    refused.set(step, count + 1);
    return 'fails' in step && count >= step.fails.times;
  };
  return (told) => {
    let calls = 0;
    for (const step of turns) {
      if (calls >= told && !isOver(step)) return toTurn(cli, step);
      calls += 'together' in step ? step.together.length : 'fails' in step ? 0 : 1;
    }
    return { text: 'Done.' };
  };
}

function toTurn(cli: HookedName, step: Step): Turn {
  if ('say' in step) return { text: step.say };
  if ('fails' in step) {
    const { status, headers = {}, body } = step.fails;
    return { fails: { status, headers, body } };
  }
  if ('hangs' in step) return { hangs: true };
  return { calls: ('together' in step ? step.together : [step]).map((one) => toCall(cli, one)) };
}

function toCall(cli: HookedName, step: z.infer<typeof callStep>): NonNullable<Turn['calls']>[number] {
  const { read, write, replace, run } = hands[cli];
  if ('read' in step) return read(step.read);
  if ('write' in step) return write(...step.write);
  if ('replace' in step) return replace(...step.replace);
  return 'run' in step ? run(step.run) : step.call;
}

function auditOf(file: string): TrialReport['audit'] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines
    .map((line): AuditLine => JSON.parse(line))
    .map(({ tool, target, decision, rule, details }) => ({ tool, target, decision, rule, details }));
}

function listOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
