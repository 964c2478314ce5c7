import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';
import { leadTools } from '../../lib/domain/lead-tools.ts';
import type { ConversationResult } from '../../lib/domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../../lib/util/json.ts';
import { beginFlame, tasksOf } from './claude-project.ts';
import { copilotFiles, findCli } from './clis.ts';
import { fillIn, parseSaid, readSteps, type Step, valueAt } from './drive-steps.ts';
import { type Leader, leaders } from './leaders.ts';
import { enterNetworkNamespace, findClaude } from './model-namespace.ts';
import { programFolder } from './program.ts';
import { hermeticEnv, makeRepo, openRepo, type TestRepo } from './repo.ts';
import { type ScriptedModel, startScriptedModel, type Turn } from './scripted-model.ts';
import { trusted } from './trusted.ts';

// The lists that drive-mcp takes, led by a real agent CLI: `git flame run --queen` with its model replaced by one on
// loopback that makes these calls, in a network namespace with nothing else in it.
//   FLAME_TEST_CLIS=FOLDER/node_modules node build/test/support/drive-queen.js --cli claude CALLS.json
// --cli claude|codex|opencode|gemini|kimi|copilot     claude is this project's own; the others are where FLAME_TEST_CLIS says
// --repo FOLDER        a copy of this repository, else one with a README.md and src/a.txt
// --config FILE        YAML merged into its .blueflame.yml; the workers are scripts unless it says otherwise
// --decisions FILE     the person's answers; all plans and changesets are approved without it
// --objective TEXT     what it is all for
// Steps are `tool`, `wait` and `run`; a tool that is none of ours is called by the name it has. One line of JSON a step, with
// what the model was shown in answer (`shown` where that is no JSON alone); then how the run ended, what it printed in
// `events`, and what the model was offered. `run` commands are the person's, in another terminal, while she leads.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ cli: { type: 'string', default: 'claude' }, repo: { type: 'string' }, config: { type: 'string' } },
    ...{ decisions: { type: 'string' }, objective: { type: 'string', default: 'What the list says' } },
  },
});

type LedStep = Extract<Step, { tool: string } | { wait: string } | { run: string }>;

interface Place {
  readonly repo: TestRepo;
  readonly env: Readonly<Record<string, string>>;
}

async function main(): Promise<number> {
  const leader = leaders[values.cli];
  const command = values.cli === 'claude' ? claudeCommand() : findCli(values.cli);
  const [list] = positionals;
  if (leader === undefined || command === null || list === undefined) {
    const why =
      leader === undefined ? `no CLI ${values.cli}` : command === null ? `${values.cli} is not installed` : 'no list';
    process.stderr.write(`${why}\nnode build/test/support/drive-queen.js --cli NAME CALLS.json\n`);
    return 1;
  }
  const steps = readSteps(readFileSync(list === '-' ? 0 : list, 'utf8')).map(requireLed);
  const root = mkdtempSync(join(tmpdir(), 'drive-queen-'));
  const script = new Script(steps, leader);
  const model = await startScriptedModel([leader.dialect], (_, { results }) => script.next(results));
  const place = makePlace(root, { leader, command, model });
  script.place = place;
  print({
    repository: place.repo.path,
    env: { HOME: place.env.HOME, XDG_STATE_HOME: place.env.XDG_STATE_HOME },
  });
  const decisions = values.decisions === undefined ? approveAll(place.repo) : resolve(values.decisions);
  const argv = ['run', '--queen', values.objective, '--decisions-file', decisions];
  const run = await beginFlame(argv, { cwd: place.repo.path, env: place.env }).ended;
  print({
    ...{ ended: run.code, not_made: script.left(), stderr: run.stderr.slice(-4_000) },
    tasks: tasksOf(run).map(({ id, status, reason }) => ({ id, status, reason })),
    events: run.lines.slice(0, -1),
    requests: model.seen.length,
    offered: offeredOf(model),
  });
  await model.close();
  return 0;
}

function claudeCommand(): readonly [string] | null {
  const found = findClaude();
  return found === null ? null : [found];
}

function requireLed(step: Step, index: number): LedStep {
  if ('tool' in step || 'wait' in step || 'run' in step) return step;
  throw new Error(`Step ${index + 1}: only tool, wait and run can be done through a CLI.`);
}

function print(line: JsonRecord): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Answers the CLI's requests with the next call, and prints what the last one brought. */
class Script {
  place: Place | null = null;
  readonly #steps: readonly LedStep[];
  readonly #leader: Leader;
  readonly #answers = new Map<string, unknown>();
  #at = 0;
  #waits = 0;
  #asked: number | null = null;

  constructor(steps: readonly LedStep[], leader: Leader) {
    this.#steps = steps;
    this.#leader = leader;
  }

  /** How many steps were never made. */
  left(): number {
    return this.#steps.length - this.#at;
  }

  next(results: readonly ConversationResult[]): Turn {
    const last = results.at(-1);
    if (this.#asked !== null && last !== undefined) this.#hear(this.#asked, last);
    for (let step = this.#steps[this.#at]; step !== undefined; step = this.#steps[this.#at]) {
      if (!('run' in step)) return this.#call(step);
      this.#at += 1;
      print({ step: this.#at, ...this.#type(String(fillIn(step.run, this.#answers))) });
    }
    this.#asked = null;
    return { text: 'All is said.' };
  }

  #hear(step: number, { text, isError }: ConversationResult): void {
    const answer = parseShown(text);
    this.#answers.set(`${step + 1}`, answer);
    const one = this.#steps[step];
    if (one !== undefined && 'wait' in one && !new RegExp(one.wait).test(text) && this.#waits < one.most) return;
    const did = one === undefined ? '' : 'tool' in one ? one.tool : 'wait';
    const shown = text.startsWith('{') ? { answer } : isJsonRecord(answer) ? { answer, shown: text } : { shown: text };
    print({
      step: step + 1,
      did,
      ...(this.#waits > 0 ? { waits: this.#waits } : {}),
      is_error: isError,
      ...shown,
    });
    this.#at = step + 1;
    this.#waits = 0;
  }

  #call(step: Exclude<LedStep, { run: string }>): Turn {
    this.#asked = this.#at;
    if ('tool' in step) {
      const isOurs = leadTools.some((tool) => tool === step.tool);
      const name = `${isOurs ? this.#leader.prefix : ''}${step.tool}`;
      const input = fillIn(step.input, this.#answers);
      return { calls: [{ name, input: isJsonRecord(input) ? { ...input } : {} }] };
    }
    const cursor = valueAt(this.#answers.get(`${this.#at + 1}`), 'cursor');
    this.#waits += 1;
    const input = { timeout_s: 30, ...(typeof cursor === 'string' && this.#waits > 1 ? { cursor } : {}) };
    return { calls: [{ name: `${this.#leader.prefix}wait_for_workers`, input }] };
  }

  #type(command: string): JsonRecord {
    const { repo, env } = this.place ?? { repo: { path: '.' }, env: {} };
    const run = spawnSync('sh', ['-c', command], {
      cwd: repo.path,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { did: command, code: run.status, stdout: run.stdout, stderr: run.stderr };
  }
}

/** What a tool of ours said, with whatever the CLI put around it. */
function parseShown(text: string): unknown {
  const inner = parseSaid(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  return isJsonRecord(inner) ? inner : text;
}

function makePlace(
  root: string,
  {
    leader,
    command,
    model,
  }: { readonly leader: Leader; readonly command: readonly string[]; readonly model: ScriptedModel },
): Place {
  const [home, tmp, state] = ['home', 'tmp', 'state'].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [home, tmp, state]) mkdirSync(folder);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Lea Lead\n\temail = lea@example.com\n');
  const path = join(root, 'repo');
  cpSync(values.repo === undefined ? makeRepo().path : resolve(values.repo), path, { recursive: true });
  const repo = openRepo(path, { ...hermeticEnv, XDG_STATE_HOME: state });
  const file = join(path, '.blueflame.yml');
  const read = (name: string | undefined): JsonRecord => {
    const value: unknown = name === undefined || !existsSync(name) ? {} : parse(readFileSync(name, 'utf8'));
    return isJsonRecord(value) ? value : {};
  };
  const prices = { [leader.model]: { input: 5, output: 30 } };
  const needed = {
    schema_version: 1,
    roles: { queen: { adapter: values.cli } },
    models: { queen: leader.model, prices },
    adapters: { [values.cli]: { command: [...command] } },
  };
  const usual = {
    project: { base_branch: repo.git('rev-parse', '--abbrev-ref', 'HEAD') },
    roles: { worker: { adapter: 'exec' } },
  };
  const config = [usual, read(file), needed, read(values.config)].reduce(merged, {});
  writeFileSync(file, stringify(config));
  repo.commit('configure git-flame');
  const env = {
    PATH: [programFolder, process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
    ...{ HOME: home, TMPDIR: tmp, XDG_STATE_HOME: state },
    ...{ ANTHROPIC_API_KEY: madeUpKey, ANTHROPIC_BASE_URL: model.url },
    ...{ OPENAI_API_KEY: madeUpKey, OPENAI_BASE_URL: `${model.url}/v1` },
    ...{ GEMINI_API_KEY: madeUpKey, GOOGLE_GEMINI_BASE_URL: model.url },
    ...{ MOONSHOT_API_KEY: madeUpKey, MOONSHOT_BASE_URL: `${model.url}/v1` },
    ...(values.cli === 'copilot'
      ? { ...copilotFiles, COPILOT_PROVIDER_API_KEY: madeUpKey, COPILOT_PROVIDER_BASE_URL: `${model.url}/v1` }
      : {}),
  };
  trusted({ path, env });
  return { repo, env };
}

const madeUpKey = 'sk-made-up-0123456789abcdef';

function merged(under: JsonRecord, over: JsonRecord): JsonRecord {
  const both = Object.entries(over).map(([key, value]) => {
    const before = under[key];
    return [key, isJsonRecord(before) && isJsonRecord(value) ? merged(before, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(both) };
}

function approveAll(repo: TestRepo): string {
  const path = join(repo.path, '.git', 'decisions.yml');
  const many = (word: string): readonly string[] => Array.from({ length: 50 }, () => word);
  writeFileSync(path, stringify({ plan: many('approve'), changesets: many('approve'), session: ['stop'] }));
  return path;
}

/** How much the definitions of the tools come to, as the model's API is sent them. */
function offeredOf({ seen }: ScriptedModel): JsonRecord {
  const offers = seen.filter(({ isMain }) => isMain).map(({ body }) => body.tools);
  const text = JSON.stringify(offers[0] ?? []);
  const names = [...text.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);
  return {
    bytes: Buffer.byteLength(text),
    names: [...new Set(names)],
    has_output_schemas: /output_?schema/i.test(text),
  };
}

switch (enterNetworkNamespace()) {
  case 'inside':
    process.exitCode = await main().catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      return 1;
    });
    break;
  case 'none':
    process.stderr.write(`${basename(process.argv[1] ?? '')} needs a network namespace of its own: unshare -rn\n`);
    process.exitCode = 1;
    break;
  case 'outside':
}
