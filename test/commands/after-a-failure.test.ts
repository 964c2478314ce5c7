import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

const good = { id: 'good', script: 'echo g > g', locks: ['g'] };
const bad = { id: 'bad', script: 'exit 3', locks: ['b'], group: 'other' };

function makeProject(limits: Readonly<Record<string, unknown>> = {}): TestRepo {
  return makeExecProject({ config: { limits: { max_retries: 0, ...limits } } });
}

function answer(repo: TestRepo, tasks: readonly ScriptTask[], command = 'run') {
  const decisions = writeDecisions(repo, {
    plan: ['approve'],
    changesets: [{ all: { reject: 'not yet' } }],
    session: ['continue'],
  });
  return flame(repo, [command, 'Go', '--from', writePlan(repo, tasks), '--decisions-file', decisions]);
}

test('VAL-7 where every task failed, the end says what was skipped and how to go on', async () => {
  const repo = makeProject();
  const run = await answer(repo, [bad]);
  assert.is(run.code, 1);
  assert.match(run.stderr, /there was nothing to merge or to review/);
  assert.match(run.stderr, /git flame task release bad, then git flame run/);
  assert.match(run.stderr, /git flame plan 'What is still to do'/);
});

test('MRG-7 where the cycles are used up, the end says that raising the limit goes on', async () => {
  const repo = makeProject({ max_wave_cycles: 1 });
  const run = await answer(repo, [good]);
  assert.match(run.stderr, /raise limits\.max_wave_cycles above 1, then git flame resume ses-/);
});

test('validate fails for what it judged alone', async () => {
  const repo = makeProject();
  assert.is((await answer(repo, [good, bad], 'plan')).code, 0);
  assert.is((await flame(repo, ['work'])).code, 1);
  const validated = await flame(repo, ['validate']);
  assert.is(validated.code, 0, validated.stderr);
  assert.is((await flame(repo, ['merge'])).code, 0);
});

test('a configuration that is named and is not there is refused, also by who only reads', async () => {
  const repo = makeProject();
  const status = await flame(repo, ['status', '--config', '/nope.yml']);
  assert.is(status.code, 128, status.stderr);
  assert.match(status.stderr, /There is no configuration file/);
});

test.run();
