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

test('validate fails for what it judged alone', async () => {
  const repo = makeProject();
  assert.is((await answer(repo, [good, bad], 'plan')).code, 0);
  assert.is((await flame(repo, ['work'])).code, 1);
  const validated = await flame(repo, ['validate']);
  assert.is(validated.code, 0, validated.stderr);
  assert.is((await flame(repo, ['merge'])).code, 0);
});

test.run();
