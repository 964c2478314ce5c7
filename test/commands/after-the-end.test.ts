import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { openRepo, type TestRepo } from '../support/repo.ts';

const broken = { id: 'one', script: 'echo x > other.txt', locks: ['a.txt'] };

/** A repository whose only task failed for good, so that its session has ended. */
async function makeEnded(): Promise<{ repo: TestRepo; run: readonly string[] }> {
  const repo = makeExecProject({ config: { limits: { max_retries: 0 } } });
  const plan = writePlan(repo, [broken, { ...broken, id: 'two', needs: ['one'], locks: ['b.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const run = ['run', '--decisions-file', decisions];
  const { code, stdout } = await flame(repo, [...run, 'All fails', '--from', plan]);
  assert.is(code, 1, stdout);
  assert.match(stdout, /· ended ·[\s\S]*next: git flame show one$/m);
  return { repo, run };
}

test('TSK-2 a failed task is released to be tried again, also when its session has ended', async () => {
  const { repo, run } = await makeEnded();
  const shown = await flame(repo, ['show', 'one']);
  assert.match(shown.stdout, /next: git flame task release one$/m);
  assert.not.match(shown.stdout, /next: git flame show one$/m);
  const edited = await flame(repo, ['task', 'edit', 'one', '--description', 'echo y > a.txt']);
  assert.match(edited.stderr, /next: git flame task release one/);
  assert.is((await flame(repo, ['task', 'edit', 'two', '--description', 'echo y > b.txt'])).code, 0);
  const released = await flame(repo, ['task', 'release', 'one', '--reason', 'the script was wrong']);
  assert.is(released.code, 0, released.stderr);
  assert.match(released.stdout, /one is free again and will be tried again/);
  assert.match(released.stderr, /next: git flame run$/m);
  assert.match(
    repo.git('log', '-1', '--format=%s%n%b', 'refs/blueflame/tasks'),
    /^one: failed -> pending[\s\S]*script was wrong/,
  );
  const { code, stdout, stderr } = await flame(repo, run);
  assert.is(code, 0, stderr);
  assert.match(stdout, /· ended ·[\s\S]*one +merged[\s\S]*two +merged/);
  assert.equal([repo.git('show', 'main:a.txt'), repo.git('show', 'main:b.txt')], ['y', 'y']);
});

test('TSK-6 a task of an ended session that is claimed by hand is landed, and the session ends again', async () => {
  for (const argv of [
    ['task', 'claim', 'one'],
    ['task', 'claim', '--stdin'],
  ]) {
    const { repo, run } = await makeEnded();
    const isMany = argv.includes('--stdin');
    const claimed = await flame(repo, argv, { stdin: 'one\n' });
    assert.is(claimed.code, 0, claimed.stderr);
    assert.match((await flame(repo, ['status'])).stdout, /· active ·[\s\S]*one +claimed/);
    if (isMany) continue;
    const path = /work in +(.+)/.exec(claimed.stdout)?.[1] ?? '';
    const hand = openRepo(path);
    hand.write('a.txt', 'by hand\n');
    hand.commit('By hand');
    assert.is((await flame(repo, ['task', 'submit', 'one'])).code, 0);
    assert.is((await flame(repo, ['task', 'drop', 'two'])).code, 0);
    const { code, stdout, stderr } = await flame(repo, run);
    assert.is(code, 0, stderr);
    assert.match(stdout, /· ended ·[\s\S]*one +merged/);
  }
});

test('CLI-1 release of a task that nobody can take names a command that works', async () => {
  const { repo } = await makeEnded();
  assert.is((await flame(repo, ['task', 'drop', 'one'])).code, 0);
  const { code, stderr } = await flame(repo, ['task', 'release', 'one']);
  assert.is(code, 1);
  assert.match(stderr, /one is dropped, not claimed by you[\s\S]*next: git flame task show one/);
});

test.run();
