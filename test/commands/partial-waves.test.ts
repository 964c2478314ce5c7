import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';

test('WRK-6: what is done is validated, merged and landed while another task is not worked on yet', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'first', script: 'echo 1 > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  assert.is((await flame(repo, ['plan', '--from', plan, '--decisions-file', decisions])).code, 0);
  assert.is((await flame(repo, ['work'])).code, 0);
  const added = [
    'task',
    'add',
    'Second',
    '--id',
    'second',
    '--locks',
    'b.txt',
    '--description',
    'echo 1 > b.txt',
  ];
  assert.is((await flame(repo, added)).code, 0);
  for (const argv of [['validate'], ['merge'], ['review', '--changeset', 'main', '--approve']]) {
    const { code, stderr } = await flame(repo, argv);
    assert.is(code, 0, stderr);
    assert.is(/nothing to do/.test(stderr), false, stderr);
  }
  const { stdout } = await flame(repo, ['status']);
  assert.match(stdout, /first +merged[\s\S]*second +pending/);
  // And the rest goes on as ever.
  assert.is((await flame(repo, ['work'])).code, 0);
  assert.match((await flame(repo, ['status'])).stdout, /second +done/);
});

test.run();
