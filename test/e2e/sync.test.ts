import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { change, makeClones, stateOf, taskIn } from '../store/sync-clones.ts';
import { flame, flameJson } from '../support/flame.ts';
import { makeRepo } from '../support/repo.ts';
import { testSession } from '../support/tasks.ts';

test('STA-4 git flame sync merges and sends; git flame status shows the same on both clones', async () => {
  const { clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = clones;
  await change(a, 'task-001', { title: 'from a' });
  await change(b, 'task-001', { title: 'from b' });
  const first = await flame(a, ['sync']);
  assert.equal([first.code, first.stdout, first.stderr], [0, 'Sent to origin: tasks\n', '']);
  const dry = await flame(b, ['sync', '--dry-run']);
  const named = `Received for ${testSession}:\n  task-001 title: from b → from a\n`;
  const kept = /^ {2}task-001 attempts: 0 \(\w+\) → 1 \(\w+\)$/m;
  assert.ok(dry.stdout.startsWith(`Would merge with origin: tasks, 1 conflict\n${named}`), dry.stdout);
  const second = await flame(b, ['sync', 'origin']);
  assert.ok(second.stdout.startsWith(`Merged with origin: tasks, 1 conflict\n${named}`), second.stdout);
  assert.match(second.stdout, kept);
  assert.is(second.stderr, 'warning: task-001: title: kept "from a", not "from b"\n');
  await flame(a, ['sync', '--quiet']);
  const [here, there] = [await flame(a, ['status', '--json']), await flame(b, ['status', '--json'])];
  assert.is(here.stdout, there.stdout);
  const third = await flame(a, ['sync']);
  assert.is(third.stdout, 'Up to date with origin.\n');
});

test('git flame sync --json tells each ref and conflict; --quiet says nothing', async () => {
  const { clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  await change(a, 'task-001', { priority: 3 });
  assert.equal(await flame(a, ['sync', '-q']), { code: 0, stdout: '', stderr: '' });
  await change(b, 'task-001', { priority: 7 });
  const { lines } = await flameJson(b, ['sync']);
  const changes = (lines[0]?.changes ?? []) as { what: string }[];
  assert.equal(
    changes.map(({ what }) => what),
    ['priority', 'attempts'],
  );
  assert.equal(lines, [
    {
      schema_version: 1,
      dry_run: false,
      remote: 'origin',
      refs: [
        { ref: 'refs/blueflame/sessions', outcome: 'same' },
        { ref: 'refs/blueflame/tasks', outcome: 'merged' },
        { ref: 'refs/blueflame/validations', outcome: 'absent' },
        { ref: 'refs/blueflame/reviews', outcome: 'absent' },
      ],
      changes,
      conflicts: [{ ref: 'refs/blueflame/tasks', note: 'task-001', what: 'priority', kept: '3', lost: '7' }],
      commits: { received: 0, sent: 0, unknown: [] },
      damage: [],
      unreadable: [],
      races: 0,
      // Written by hand, nothing of it was decided here, before or now: nothing is new.
      proposals: {},
      signed: {},
      refused_signatures: [],
      restored: [],
      accepted: [],
      doubts: [],
    },
  ]);
});

test('sync finds the remote of the branch, the only one, or asks for a name', async () => {
  const repo = makeRepo();
  const none = await flame(repo, ['sync']);
  assert.is(none.code, 128);
  assert.match(none.stderr, /no remote[\s\S]*git remote add origin URL/);
  const { remote } = await makeClones(['task-001']);
  repo.git('remote', 'add', 'hub', remote.path);
  assert.match((await flame(repo, ['sync'])).stdout, /^Received from hub: sessions, tasks$/m);
  repo.git('remote', 'add', 'other', '/nonexistent');
  assert.match((await flame(repo, ['sync'])).stderr, /several remotes[\s\S]*git flame sync hub/);
  repo.git('config', 'branch.main.remote', 'hub');
  assert.is((await flame(repo, ['sync'])).code, 0);
  const wrong = await flame(repo, ['sync', 'hubb']);
  assert.equal([wrong.code, /git flame sync hub\n/.test(wrong.stderr)], [128, true]);
});

test('a remote with a relative path is found from a folder below and from a linked worktree', async () => {
  const { clones, remote } = await makeClones(['task-001']);
  const [a] = clones;
  a.git('remote', 'set-url', 'origin', '../remote.git');
  a.git('worktree', 'add', '-q', join(remote.path, '..', 'linked'));
  for (const cwd of [join(a.path, 'src'), join(remote.path, '..', 'linked')]) {
    const run = await flame(a, ['sync'], { cwd });
    assert.equal([run.stdout, run.code], ['Up to date with origin.\n', 0], run.stderr);
  }
});

test('plain git push and pull carry the branch and nothing else, before and after a sync', async () => {
  const { clones, remote } = await makeClones(['task-001']);
  const [a, b] = clones;
  await change(a, 'task-001', { title: 'from a' });
  const before = stateOf(remote);
  const config = a.git('config', '--local', '--list');
  a.write('src/c.txt', 'c\n');
  const commit = a.commit('work of a person');
  a.git('push', '-q');
  assert.is(remote.git('rev-parse', 'main'), commit);
  assert.is(stateOf(remote), before);
  await flame(a, ['sync']);
  assert.is(a.git('config', '--local', '--list'), config);
  b.git('pull', '-q', '--prune');
  assert.is(b.git('rev-parse', 'HEAD'), commit);
  assert.is(stateOf(b), before);
  assert.is(remote.git('for-each-ref', '--format=%(refname)', 'refs/heads'), 'refs/heads/main');
});

test('a plain push of refs/blueflame/* is refused where another clone was first, and taken after a sync', async () => {
  const { clones, remote } = await makeClones(['task-001']);
  const [a, b] = clones;
  await change(a, 'task-001', { title: 'from a' });
  a.git('push', '-q', 'origin', 'refs/blueflame/*');
  assert.is(stateOf(remote), stateOf(a));
  await change(b, 'task-001', { title: 'from b' });
  const mine = stateOf(b);
  assert.throws(() => b.git('push', '-q', '--atomic', 'origin', 'refs/blueflame/*'));
  assert.throws(() => b.git('fetch', '-q', 'origin', 'refs/blueflame/*:refs/blueflame/*'));
  assert.is(stateOf(b), mine);
  await flame(b, ['sync']);
  b.git('push', '-q', 'origin', 'refs/blueflame/*');
  a.git('fetch', '-q', 'origin', 'refs/blueflame/*:refs/blueflame/*');
  assert.is(stateOf(a), stateOf(b));
  assert.is((await taskIn(a, 'task-001')).title, 'from a');
  assert.not.match(stateOf(remote), /blueflame-remotes/);
});

test('STA-4: who lost a claim to another clone is told, and is not told to submit it', async () => {
  const { clones } = await makeClones([]);
  const [a, b] = clones;
  assert.is((await flame(a, ['task', 'add', 'Mend', '--locks', 'src/m.txt'])).code, 0);
  await flame(a, ['sync']);
  await flame(b, ['sync']);
  assert.is((await flame(b, ['task', 'claim', 'task-001'])).code, 0);
  const claimed = await flame(a, ['task', 'claim', 'task-001']);
  const worktree = /work in +(.+)/.exec(claimed.stdout)?.[1] ?? '?';
  // They may be one person at two machines.
  assert.match((await flame(a, ['status'])).stdout, /next: git flame task submit task-001/);
  await flame(a, ['sync']);
  assert.match((await flame(b, ['sync'])).stdout, /1 conflict/);
  const { code, stderr } = await flame(a, ['sync']);
  assert.is(code, 0);
  assert.match(stderr, /^warning: task-001 is no longer yours: .+ claimed it first; your files stay in /);
  assert.ok(stderr.includes(worktree), stderr);
  assert.is((await flame(a, ['sync'])).stderr, '');
  const env = { GIT_AUTHOR_NAME: 'Otto', GIT_AUTHOR_EMAIL: 'otto@example.com' };
  const other = await flame(a, ['status'], { env });
  assert.match(other.stdout, /next: git flame show task-001$/m);
});

test.run();
