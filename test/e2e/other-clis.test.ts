import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { processesAbout, tasksOf } from '../support/claude-project.ts';
import { openCliProject, realKey, toolsOf } from '../support/cli-project.ts';
import { findCli, needsCli } from '../support/clis.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';
import type { Turn } from '../support/scripted-model.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

// Whole sessions in which one CLI plans and works, and another judges, as a person types it.

const isThere = hasBubblewrap() && findCli('codex') !== null && findCli('opencode') !== null;
const place = isThere ? enterNetworkNamespace() : 'none';
const task = {
  id: 'task-001',
  title: 'Write one',
  description: 'Put the word one into src/one.txt.',
  priority: 1,
  cohesion_group: 'numbers',
  file_locks: ['src/one.txt'],
};

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', needsCli('codex and opencode'));

  test('ADP-1: the models that write and run have their tools', () => {
    assert.equal(Object.keys(toolsOf), ['codex', 'opencode']);
  });

  // The other way round each was tried in a cell of its own (test/cell/clis), and codex judges in three-clis.
  for (const [maker, judge] of [['codex', 'opencode']] as const) {
    live(`ADP-1, ADP-2: ${maker} plans and works, ${judge} judges, and it lands`, async () => {
      const config = {
        limits: {
          token_budget: { planner_usd: 9, worker_usd: 9, validator_usd: 9, merger_usd: 9 },
        },
        roles: {
          planner: { adapter: maker },
          worker: { adapter: maker },
          validator: { adapter: judge },
          merger: { adapter: maker },
        },
        models: {
          ...Object.fromEntries(['planner', 'worker', 'merger'].map((role) => [role, modelOf(maker)])),
          validator: modelOf(judge),
          prices: { 'gpt-5.5': { input: 5, output: 30 }, 'openai/gpt-5.5': { input: 5, output: 30 } },
        },
      };
      const { repo, root, model, flame } = await openCliProject(config, (_, { body, results }) =>
        answerAs(roleOf(body), maker, results.length),
      );
      const decisions = writeDecisions(repo, {
        plan: ['approve'],
        changesets: ['approve'],
        session: ['stop'],
      });
      const run = await flame('run', 'Count with files', '--decisions-file', decisions);
      assert.equal(
        tasksOf(run).map(({ status }) => status),
        ['merged'],
        run.stderr + run.stdout,
      );
      assert.is(repo.git('show', 'main:src/one.txt'), 'one');
      assert.is(repo.git('status', '--porcelain'), '');
      const canaries = run.lines.filter(({ event }) => event === 'canary');
      assert.equal(
        canaries.map(({ result }) => result),
        ['denied', 'denied'],
      );
      const logs = join(repo.path, '.git/blueflame/logs');
      const audits = readdirSync(logs).filter((name) => /^worker.*\.audit\.jsonl$/.test(name));
      const audit = audits.map((name) => readFileSync(join(logs, name), 'utf8')).join('');
      assert.match(audit, /"tool":"Write","target":"src\/one\.txt","decision":"allow"/);
      assert.match(audit, /"target":"src\/two\.txt","decision":"block","rule":"path-out-of-scope"/);
      assert.match(audit, /"target":"curl [^"]*","decision":"block","rule":"bash-not-allowed"/);
      assert.ok(model.seen.every(({ headers }) => headers.authorization === `Bearer ${realKey}`));
      assert.not.match(JSON.stringify(model.seen.map(({ body }) => body)), new RegExp(realKey));
      assert.equal(processesAbout(root), []);
      assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
      await model.close();
    });
  }
}

test.run();

function modelOf(cli: string): string {
  return cli === 'opencode' ? 'openai/gpt-5.5' : 'gpt-5.5';
}

function roleOf(body: unknown): string {
  return (
    /You are (?:a|the) (planner|worker|validator|merger) of git-flame/.exec(JSON.stringify(body))?.[1] ?? ''
  );
}

/** What the model says to an agent that was told so many results. */
function answerAs(role: string, maker: string, told: number): Turn {
  const tools = toolsOf[maker];
  if (role === 'planner') return { text: JSON.stringify({ tasks: [task] }) };
  if (role === 'validator') return { text: JSON.stringify({ status: 'pass', notes: 'Fine.', issues: [] }) };
  if (role !== 'worker' || tools === undefined) return { text: 'Nothing to do.' };
  const turns: readonly Turn[] = [
    { calls: [tools.write('src/one.txt', 'one')] },
    { calls: [tools.write('src/two.txt', 'two')] },
    { calls: [tools.run('curl http://127.0.0.1/')] },
    { calls: [tools.run('git add src/one.txt && git commit -qm "feat: one"')] },
  ];
  return turns[told] ?? { text: 'src/one.txt holds the word one.' };
}
