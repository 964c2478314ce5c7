import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson, lookOnly } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

const failing = {
  validation: { validator_diagnostics: { enabled: true, commands: ['sh -c "echo broken; exit 3"'] } },
};

async function planOne(repo: TestRepo): Promise<void> {
  const plan = writePlan(repo, [{ id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const planned = await flame(repo, ['plan', 'One', '--from', plan, '--decisions-file', decisions]);
  assert.is(planned.code, 0, planned.stderr);
}

async function findings(repo: TestRepo): Promise<readonly { check: string; result: string; message: string }[]> {
  const { lines } = await flameJson(repo, lookOnly);
  return (lines[0]?.findings ?? []) as readonly { check: string; result: string; message: string }[];
}

test('DSK-4 a diagnostic that fails on the base itself is said before anybody works, and tried once', async () => {
  const repo = makeExecProject({ config: failing });
  await planOne(repo);
  const work = await flame(repo, ['work']);
  const said = 'sh -c "echo broken; exit 3" fails on main already (exit 3), so only a task that fixes it can pass.';
  const text = work.stderr.replace(/\s+/g, ' ');
  assert.ok(text.includes(said), work.stderr);
  assert.ok(text.indexOf(said) < text.indexOf('worker-'), 'before the first worker');
  assert.match(text, /broken.*Fix it first/);
  const logs = readdirSync(join(repo.path, '.git', 'blueflame', 'logs'));
  assert.is(logs.filter((name) => name.endsWith('.tried.json')).length, 1);
});

test('PLN-1 WRK-7 a setup that fetches submodules is refused before work, with what does it', async () => {
  const project = { name: 'sample', base_branch: 'main', setup: ['git submodule update --init'] };
  const repo = makeExecProject({ config: { project } });
  const script = { id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] };
  const run = ['run', 'One', '--from', writePlan(repo, [script])];
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const commit = repo.git('rev-parse', 'HEAD');
  repo.git('update-index', '--add', '--cacheinfo', `160000,${commit},lib`);
  repo.git('commit', '-qm', 'a submodule');
  mkdirSync(join(repo.path, 'lib'));
  const refused = await flame(repo, [...run, '--decisions-file', decisions]);
  assert.is(refused.code, 1, refused.stderr);
  assert.match(refused.stderr, /git submodule update --init" can't run in a cell.*copy: \["lib"\]/s);
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
});

test('PLN-1 a changed configuration that is not committed is refused before anything is paid', async () => {
  const repo = makeExecProject();
  repo.write('.blueflame.yml', 'schema_version: 1\nproject: { name: other, base_branch: main }\n');
  const run = await flame(repo, ['run', 'Anything']);
  assert.is(run.code, 1, run.stderr);
  assert.match(run.stderr, /\.blueflame\.yml in \S+ has uncommitted changes/);
  assert.match(run.stderr, /git -C \S+ commit -m 'configure git flame' \.blueflame\.yml/);
  const found = (await findings(repo)).find(({ check }) => check === 'configuration-committed');
  assert.is(found?.result, 'weaker');
});

test('CFG-5 doctor finds a base branch that is missing, and that git knows no name', async () => {
  const repo = makeExecProject({ config: { project: { name: 'x', base_branch: 'trunk' } } });
  const missing = (await findings(repo)).find(({ check }) => check === 'base-branch');
  assert.is(missing?.result, 'missing');
  assert.match(missing?.message ?? '', /The base branch trunk does not exist/);
  repo.git('branch', 'trunk');
  const found = await findings(repo);
  assert.is(found.find(({ check }) => check === 'base-branch')?.result, 'proven');
  assert.is(found.find(({ check }) => check === 'identity')?.result, 'proven');
});

test.run();
