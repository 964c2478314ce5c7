import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

/** A project whose tasks are done and wait in their changesets for a review. */
async function reviewable(tasks: readonly ScriptTask[]): Promise<TestRepo> {
  const repo = makeExecProject();
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, [
    'run',
    'Go',
    '--from',
    writePlan(repo, tasks),
    '--decisions-file',
    decisions,
  ]);
  assert.is(run.code, 2, run.stderr);
  return repo;
}

async function approveAll(repo: TestRepo): Promise<void> {
  const decisions = writeDecisions(repo, { changesets: [{ all: 'approve' }], session: ['stop'] });
  const run = await flame(repo, ['run', '--decisions-file', decisions]);
  assert.is(run.code, 0, run.stderr);
}

const write = (id: string, rest: Partial<ScriptTask> = {}): ScriptTask => ({
  ...{ id, script: `echo ${id} > ${id}.txt`, locks: [`${id}.txt`], group: id },
  ...rest,
});

test('MRG-5 a task that is dropped while its changeset waits keeps nothing else from landing', async () => {
  const repo = await reviewable([write('a'), write('b')]);
  assert.is((await flame(repo, ['task', 'drop', 'a', '--reason', 'not wanted'])).code, 0);
  assert.match((await flame(repo, ['status'])).stdout, /1-a +void/);
  await approveAll(repo);
  assert.equal(repo.git('ls-tree', '--name-only', 'main', '--', 'a.txt', 'b.txt'), 'b.txt');
});

test('MRG-5 dropped work leaves its changeset and what was built on it; the rest lands', async () => {
  const tasks = [write('a', { group: 'one' }), write('b', { group: 'one' }), write('c', { needs: ['b'] })];
  const repo = await reviewable(tasks);
  assert.is((await flame(repo, ['task', 'drop', 'a', '--reason', 'not wanted'])).code, 0);
  await approveAll(repo);
  const landed = repo.git('ls-tree', '--name-only', 'main', '--', 'a.txt', 'b.txt', 'c.txt');
  assert.equal(landed.split('\n'), ['b.txt', 'c.txt']);
  assert.is(repo.git('log', '--format=%s', 'main', '--', 'a.txt'), '');
});

test('WRK-5 commits that take each other back are no work', async () => {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  const commit = 'git add -A && git commit -q -m';
  const script = `echo x > f && ${commit} one && rm f && ${commit} two`;
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const plan = writePlan(repo, [{ id: 'a', script, locks: ['f'] }]);
  const start = repo.git('rev-parse', 'main');
  const run = await flame(repo, ['run', 'Go', '--from', plan, '--decisions-file', decisions]);
  assert.is(run.code, 1, run.stderr);
  assert.match(run.stderr, /commits take each other back: it ended without a change/);
  assert.is(repo.git('rev-parse', 'main'), start);
});

test.run();
