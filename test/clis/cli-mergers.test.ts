import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { hands } from '../support/cli-hands.ts';
import { copilotFiles, findCli } from '../support/clis.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { provesRole } from '../support/proven-table.ts';
import { startScriptedModel, type Turn } from '../support/scripted-model.ts';
import { assertPlannedAtLast, plansAtLast, roleAsked } from '../support/scripted-planner.ts';
import { testIf } from '../support/skip.ts';

// Conflicts between the work of scripts, solved by the CLIs that the other files here have no merger of.

const names = ['claude', 'codex', 'opencode', 'copilot', 'kimi'] as const;
type Cli = (typeof names)[number];

const claude = findClaude();
const clis = {
  ...Object.fromEntries(names.map((name) => [name, findCli(name)])),
  claude: claude === null ? null : [claude],
};
const isThere = Object.values(clis).every((command) => command !== null);
const place = isThere ? enterNetworkNamespace() : 'none';
const needs =
  'cli-mergers: needs a network namespace, claude, and codex, opencode, copilot and kimi where FLAME_TEST_CLIS says';
/** A text that stands nowhere else: some take what is their key out of all they print. */
const key = 'sk-outside-5b7e01d3';

const models: Readonly<Record<Cli, string>> = {
  claude: 'sonnet',
  codex: 'gpt-5.5',
  opencode: 'anthropic/claude-sonnet-4-6',
  copilot: 'gpt-5.5',
  kimi: 'kimi-k2.6',
};

/** Two scripts that put different words into one file, with locks that don't overlap. */
const conflict = ['first', 'second'].map((id) => ({
  id,
  script: `echo ${id} > same.txt`,
  locks: [`locks/${id}`],
}));

const planned = conflict.map(({ id, script, locks }) => ({
  ...{ id, title: id, description: script, priority: 1, cohesion_group: 'same', file_locks: locks },
}));

/** A merger that looks, is denied what is no conflict, puts both into the place of what it saw, and commits. */
function merges(cli: Cli, results: readonly { readonly text: string }[]): Turn {
  const { read, write, replace, run } = hands[cli];
  // It is shown with the numbers of lines, too.
  const seen = results[0]?.text ?? '';
  const marker = (sign: string): string => new RegExp(`${sign} .*$`, 'm').exec(seen)?.[0] ?? 'not seen';
  const before = [marker('<<<<<<<'), 'first', '=======', 'second', marker('>>>>>>>')];
  const turns: readonly Turn[] = [
    { calls: [read('same.txt')] },
    { calls: [write('elsewhere.txt', 'x')] },
    { calls: [replace('same.txt', before, 'first and second')] },
    { calls: [run('git add same.txt && git commit -qm "Merge both"')] },
    { text: `Both stand.\n${JSON.stringify({ status: 'resolved', notes: 'Both stand.' })}` },
  ];
  return turns[results.length] ?? { text: 'Done.' };
}

async function solvesWith(merger: Cli, planner: Cli): Promise<void> {
  const asked = new Set<string>();
  const dialects = ['responses', 'anthropic', 'chat'] as const;
  const model = await startScriptedModel(dialects, (_turn, { body, results, headers }) => {
    const role = roleAsked(body);
    asked.add(`${role} ${`${headers['x-api-key'] ?? headers.authorization}`.replace('Bearer ', '')}`);
    return role === 'planner' ? plansAtLast(body, results.length, planned) : merges(merger, results);
  });
  const { repo, flame } = await openClaudeProject({
    script: () => ({ text: 'nobody asks this one' }),
    env: {
      ...copilotFiles,
      ...{ OPENAI_API_KEY: key, OPENAI_BASE_URL: `${model.url}/v1` },
      ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.url },
      ...{ MOONSHOT_API_KEY: key, MOONSHOT_BASE_URL: `${model.url}/v1` },
    },
    config: {
      adapters: Object.fromEntries(Object.entries(clis).map(([name, command]) => [name, { command }])),
      // Overlapping locks would keep what conflicts from running at once.
      validation: { file_scope: { enforce: false } },
      roles: {
        ...{ planner: { adapter: planner }, worker: { adapter: 'exec' } },
        ...{ validator: { adapter: 'none' }, merger: { adapter: merger } },
      },
      models: { planner: models[planner], merger: models[merger] },
    },
  });
  repo.write('same.txt', 'before\n');
  repo.commit('a file');
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [{ same: 'approve' }],
    session: ['stop'],
  });
  const run = await flame('run', 'Count with files', '--decisions-file', decisions);
  assert.is(run.code, 0, run.stderr + run.stdout);
  assert.equal(
    tasksOf(run).map(({ status }) => status),
    ['merged', 'merged'],
    run.stdout,
  );
  assert.is(repo.git('show', 'main:same.txt'), 'first and second');
  assert.throws(() => repo.git('show', 'main:elsewhere.txt'));
  const canaries = run.lines.filter(({ event }) => event === 'canary');
  assert.ok(canaries.length > 0 && canaries.every(({ result }) => result === 'denied'));
  const agent = run.lines.find((line) => line.event === 'agent-started' && line.role === 'merger')?.agent;
  const audit = join(repo.path, '.git/blueflame/logs', `${String(agent)}.audit.jsonl`);
  assert.match(readFileSync(audit, 'utf8'), /elsewhere\.txt","decision":"block","rule":"path-out-of-scope"/);
  assertPlannedAtLast(run);
  assert.equal([...asked].sort(), [`merger ${key}`, `planner ${key}`]);
  await model.close();
  provesRole(planner, 'planner');
  provesRole(merger, 'merger');
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needs);
  test.after(closeProjects);

  live('ADP-1 ADP-2 MRG-1: copilot plans, codex merges', () => solvesWith('codex', 'copilot'));
  live('ADP-1 ADP-2 MRG-1: claude plans, opencode merges', () => solvesWith('opencode', 'claude'));
  live('ADP-1 ADP-2 MRG-1: kimi plans, copilot merges', () => solvesWith('copilot', 'kimi'));
}

test.run();
