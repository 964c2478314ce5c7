import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, processesAbout, tasksOf } from '../support/claude-project.ts';
import { type HookedName, hands, hookedNames } from '../support/cli-hands.ts';
import { copilotFiles, findCli } from '../support/clis.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { provesRole } from '../support/proven-table.ts';
import { startScriptedModel, type Turn } from '../support/scripted-model.ts';
import { answers, assertPlannedAtLast, plansAtLast, roleAsked } from '../support/scripted-planner.ts';
import { testIf } from '../support/skip.ts';

// One session in which every CLI works on a task and judges that of another, with what a person typed once. A folder
// that FLAME_TEST_REPOSITORY names is worked on instead of the usual repository, in a clone.

const names = hookedNames;
type Cli = HookedName;

const claude = findClaude();
const commands = {
  ...Object.fromEntries(names.map((name) => [name, findCli(name)])),
  claude: claude === null ? null : [claude],
};
const isThere = Object.values(commands).every((command) => command !== null);
const place = isThere ? enterNetworkNamespace() : 'none';
const needs = 'every-cli: needs a network namespace, claude, and the other CLIs where FLAME_TEST_CLIS says';

/** Texts that stand nowhere else: some CLIs take what is their key out of all they print. */
const keys = {
  anthropic: 'sk-ant-outside-71f3a2c4',
  openai: 'sk-outside-8d02b6e9',
  google: 'AIza-outside-3c95d1f7',
  moonshot: 'sk-kimi-outside-e4a80b52',
};

const models: Readonly<Record<Cli, string>> = {
  claude: 'sonnet',
  codex: 'gpt-6-sol',
  opencode: 'anthropic/claude-sonnet-4-6',
  gemini: 'gemini-2.5-pro',
  kimi: 'kimi-k2.6',
  copilot: 'gpt-5.5',
};

const fileOf = (cli: Cli): string => `notes/by-${cli}.txt`;
const judgeOf = (cli: Cli): Cli => names[(names.indexOf(cli) + 1) % names.length] ?? cli;

const plan = {
  tasks: names.map((cli) => ({
    ...{ id: `by-${cli}`, title: `Note of ${cli}`, priority: 1, cohesion_group: cli },
    description: `Put the word ${cli} into ${fileOf(cli)}.`,
    file_locks: [fileOf(cli)],
  })),
};

/** A worker that tries what is not its task and what nobody allowed, and commits the rest. */
function works(cli: Cli): readonly Turn[] {
  const { write, run } = hands[cli];
  return [
    { calls: [write(fileOf(cli), cli)] },
    { calls: [write('notes/elsewhere.txt', 'x')] },
    { calls: [run('curl http://127.0.0.1/')] },
    { calls: [run(`git add ${fileOf(cli)} && git commit -qm "feat: note of ${cli}"`)] },
    { text: `${fileOf(cli)} is there.` },
  ];
}

const verdict = { status: 'pass', notes: 'As asked.', issues: [] };

function answer(body: Readonly<Record<string, unknown>>, told: number): Turn {
  const asked = JSON.stringify(body);
  const role = roleAsked(body);
  if (role === 'planner') return plansAtLast(body, told, plan.tasks);
  if (role === 'validator') return answers(body, told, verdict);
  const cli = names.find((name) => asked.includes(`Put the word ${name} into`));
  return (cli === undefined ? undefined : works(cli)[told]) ?? { text: 'Done.' };
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needs);
  test.after(closeProjects);

  live('ADP-1 ADP-2: every CLI works and judges in one session that another has planned', async () => {
    const dialects = ['anthropic', 'responses', 'gemini', 'chat'] as const;
    const model = await startScriptedModel(dialects, (_turn, { body, results }) => answer(body, results.length));
    const project = await openClaudeProject({
      script: () => ({ text: 'nobody asks this one' }),
      env: {
        ...copilotFiles,
        ...{ ANTHROPIC_API_KEY: keys.anthropic, ANTHROPIC_BASE_URL: model.url },
        ...{ OPENAI_API_KEY: keys.openai, OPENAI_BASE_URL: `${model.url}/v1` },
        ...{ GEMINI_API_KEY: keys.google, GOOGLE_GEMINI_BASE_URL: model.url },
        ...{ MOONSHOT_API_KEY: keys.moonshot, MOONSHOT_BASE_URL: `${model.url}/v1` },
      },
      config: {
        adapters: Object.fromEntries(Object.entries(commands).map(([name, command]) => [name, { command }])),
        limits: {
          token_budget: { planner_usd: 9, worker_usd: 9, validator_usd: 9, merger_usd: 9 },
        },
        roles: { planner: { adapter: 'codex' } },
        models: {
          planner: models.codex,
          prices: { [models.opencode]: { input: 3, output: 15 } },
          groups: Object.fromEntries(
            names.map((cli) => {
              const judge = judgeOf(cli);
              const choose = (one: Cli): object => ({ adapter: one, model: models[one] });
              return [cli, { worker: choose(cli), validator: choose(judge) }];
            }),
          ),
        },
      },
    });
    const { repo, root, flame } = project;
    const other = process.env.FLAME_TEST_REPOSITORY ?? '';
    if (other !== '') {
      repo.git('fetch', '-q', other, 'HEAD');
      repo.git(
        'merge',
        '-q',
        '--allow-unrelated-histories',
        '-m',
        'Take in another project',
        '-X',
        'theirs',
        'FETCH_HEAD',
      );
    }
    const decisions = writeDecisions(repo, {
      plan: ['approve'],
      changesets: [Object.fromEntries(names.map((name) => [name, 'approve']))],
      session: ['stop'],
    });
    const run = await flame('run', 'Leave notes', '--decisions-file', decisions);
    assert.equal(
      tasksOf(run)
        .map(({ id, status }) => `${id} ${status}`)
        .sort(),
      names.map((name) => `by-${name} merged`).sort(),
      run.stderr + run.stdout,
    );
    assertPlannedAtLast(run);
    const canaries = run.lines.filter(({ event }) => event === 'canary');
    assert.ok(canaries.length >= names.length && canaries.every(({ result }) => result === 'denied'));
    for (const name of names) {
      assert.is(repo.git('show', `main:${fileOf(name)}`), name);
      const agents = run.lines.filter(({ event, task }) => event === 'agent-started' && task === `by-${name}`);
      assert.equal(
        agents.map(({ role }) => role),
        ['worker', 'validator'],
        name,
      );
      const file = join(repo.path, '.git/blueflame/logs', `${String(agents[0]?.agent)}.audit.jsonl`);
      const audit = readFileSync(file, 'utf8');
      assert.match(audit, /elsewhere\.txt","decision":"block","rule":"path-out-of-scope"/, name);
      assert.match(audit, /"target":"curl [^"]*","decision":"block","rule":"bash-not-allowed"/, name);
    }
    assert.throws(() => repo.git('show', 'main:notes/elsewhere.txt'));
    const said = JSON.stringify(model.seen.map(({ body }) => body));
    for (const key of Object.values(keys)) assert.not.match(said, new RegExp(key));
    const shown = model.seen.map(({ headers }) =>
      `${headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization}`.replace('Bearer ', ''),
    );
    assert.equal([...new Set(shown)].sort(), Object.values(keys).sort());
    assert.equal(processesAbout(root), []);
    assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
    assert.is(repo.git('status', '--porcelain'), '');
    await model.close();
    provesRole('codex', 'planner');
    for (const name of names) {
      provesRole(name, 'worker');
      provesRole(name, 'validator');
    }
  });
}

test.run();
