import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';

// What is left when the tool is gone: git, and nothing else.

test('UNI-1: stock git alone tells of every task what the status told', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  const plan = writePlan(repo, [
    { id: 'task-001', script: 'mkdir -p src && echo one > src/one.txt', locks: ['src/one.txt'] },
    { id: 'task-002', script: 'exit 3', locks: ['src/two.txt'], group: 'two' },
    { id: 'task-003', script: 'true', locks: ['src/three.txt'], group: 'two', needs: ['task-002'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  await flame(repo, ['run', 'Count', '--from', plan, '--decisions-file', decisions]);
  const { lines } = await flameJson(repo, ['status']);
  const told = (lines[0]?.tasks ?? []) as { id: string; status: string }[];
  assert.equal([...new Set(told.map(({ status }) => status))].length, 3, JSON.stringify(told));

  repo.git('gc', '--quiet', '--prune=now');
  const listed = execFileSync('git', ['ls-tree', '-r', 'refs/blueflame/tasks'], {
    cwd: repo.path,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  });
  const found = listed
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/[\s]/))
    .filter(([, , , path = '']) => !path.startsWith('anchors/') && path !== 'format')
    .map(([, , blob = '']) => JSON.parse(repo.git('cat-file', 'blob', blob)))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  assert.equal(found, told);
});

test.run();
