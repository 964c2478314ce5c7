import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { findCli } from '../support/clis.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { startScriptedModel, type Turn } from '../support/scripted-model.ts';
import { testIf } from '../support/skip.ts';

// One session whose planner, worker and validator are three different CLIs, each with a model API of its own.

const clis = { gemini: findCli('gemini'), kimi: findCli('kimi'), codex: findCli('codex') };
const isThere = Object.values(clis).every((command) => command !== null);
const place = isThere ? enterNetworkNamespace() : 'none';
const needs = 'three-clis: needs a network namespace, and gemini, kimi and codex where FLAME_TEST_CLIS says';

const plan = {
  tasks: [
    {
      ...{ id: 'task-001', title: 'Write one', priority: 1, cohesion_group: 'numbers' },
      description: 'Put the word one into src/one.txt.',
      file_locks: ['src/one.txt'],
    },
  ],
};
const keys = { google: 'AIza-outside', moonshot: 'sk-kimi-outside', openai: 'sk-openai-outside' };

/** What each model says, by how often it was answered with results. */
const scripts: Readonly<Record<string, readonly Turn[]>> = {
  gemini: [{ text: `Here is the plan:\n${JSON.stringify(plan)}` }],
  chat: [
    { calls: [{ name: 'Write', input: { path: 'src/one.txt', content: 'one\n' } }] },
    { calls: [{ name: 'Write', input: { path: 'src/two.txt', content: 'two\n' } }] },
    {
      calls: [
        { name: 'Bash', input: { command: 'git add src/one.txt && git commit -qm "feat: write one"' } },
      ],
    },
    { text: 'It is committed.' },
  ],
  responses: [{ text: JSON.stringify({ status: 'pass', notes: 'It holds one.', issues: [] }) }],
};

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needs);
  test.after(closeProjects);

  live(
    'ADP-1 ADP-2: planner, worker and validator are three CLIs, and what they made is landed',
    async () => {
      const model = await startScriptedModel(['gemini', 'chat', 'responses'], (_turn, { url, results }) => {
        const name = url.includes('enerateContent')
          ? 'gemini'
          : url.includes('/chat/')
            ? 'chat'
            : 'responses';
        return scripts[name]?.[results.length] ?? { text: 'done.' };
      });
      test.after(model.close);
      const project = await openClaudeProject({
        script: () => ({ text: 'nobody asks this one' }),
        env: {
          ...{ GEMINI_API_KEY: keys.google, GOOGLE_GEMINI_BASE_URL: model.url },
          ...{ MOONSHOT_API_KEY: keys.moonshot, MOONSHOT_BASE_URL: `${model.url}/v1` },
          ...{ OPENAI_API_KEY: keys.openai, OPENAI_BASE_URL: `${model.url}/v1` },
        },
        config: {
          adapters: {
            claude: { command: [findClaude() ?? 'claude'] },
            ...Object.fromEntries(Object.entries(clis).map(([name, command]) => [name, { command }])),
          },
          roles: {
            planner: { adapter: 'gemini' },
            worker: { adapter: 'kimi' },
            validator: { adapter: 'codex' },
          },
          models: { planner: 'gemini-2.5-pro', worker: 'kimi-k2.6', validator: 'gpt-6-sol' },
          permissions: { bash_rules: { allowed_commands: ['git add', 'git commit'] } },
        },
      });
      const { repo } = project;
      const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
      const run = await project.flame('run', 'Count with files', '--decisions-file', decisions);
      assert.is(run.code, 0, run.stderr + run.stdout);
      assert.equal(
        tasksOf(run).map(({ status }) => status),
        ['merged'],
      );
      assert.is(repo.git('show', 'main:src/one.txt'), 'one');
      assert.throws(() => repo.git('show', 'main:src/two.txt'));
      const asked = model.seen.map(({ headers, body }) => [
        headers['x-goog-api-key'] ?? headers.authorization,
        body.model,
      ]);
      assert.equal(asked, [
        [keys.google, undefined],
        ...[1, 2, 3, 4].map(() => [`Bearer ${keys.moonshot}`, 'kimi-k2.6']),
        [`Bearer ${keys.openai}`, 'gpt-6-sol'],
      ]);
      // Each was proven to be denied before it was asked anything, and the worker was denied what is not its task.
      const canaries = run.lines.filter(({ event }) => event === 'canary');
      assert.equal(
        canaries.map(({ result }) => result),
        ['denied', 'denied', 'denied'],
      );
      const worker = String(
        run.lines.find(({ event, role }) => event === 'agent-started' && role === 'worker')?.agent,
      );
      const audit = readFileSync(join(repo.path, '.git/blueflame/logs', `${worker}.audit.jsonl`), 'utf8');
      assert.match(
        audit,
        /"tool":"Write","target":"src\/two\.txt","decision":"block","rule":"path-out-of-scope"/,
      );
      await model.close();
    },
  );
}

test.run();
