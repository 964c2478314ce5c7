import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { assertRefused } from '../support/refusal.ts';
import { forge, makeShared } from '../support/shared-project.ts';

// TRU-2: what came by sync is somebody else's word, whoever they say they are.

type Fields = Readonly<Record<string, unknown>>;

const approvedBy = 'Lea Lead <lea@example.com>';

test('TRU-2 an approval that came from a remote lands nothing, and a person here is asked', async () => {
  const { repo, clone } = await makeShared();
  await forge(repo, ({ current }) =>
    current === null
      ? []
      : [
          {
            subject: 'forged',
            session: {
              ...current,
              wave: 'review',
              changesets: current.changesets.map((set) => ({
                ...set,
                state: 'approved',
                decided_by: approvedBy,
              })),
            },
          },
        ],
  );
  const victim = await clone();
  const before = victim.git('rev-parse', 'main');
  const synced = await flame(victim, ['sync']);
  assert.match(
    synced.stdout,
    /Received from origin, but not used until you accept it: 1 session, 1 task to run, 1 approval/,
  );
  for (const argv of [['review'], ['run'], ['resume'], ['merge'], ['work']]) {
    const run = await flame(victim, argv);
    assertRefused(run, { code: 2, says: 'waits for a person' });
    assert.is(victim.git('rev-parse', 'main'), before, argv.join(' '));
  }
  // The plan is approved here: the work is judged here, and its changeset asked about.
  const decisions = writeDecisions(victim, { plan: ['approve'] });
  const run = await flame(victim, ['run', '--decisions-file', decisions]);
  assertRefused(run, { code: 2, says: 'Changeset main waits for a person' });
  assert.is(victim.git('rev-parse', 'main'), before);
  // In the clone it was forged in it counts as little.
  const forger = await flame(repo, ['run']);
  assertRefused(forger, { code: 2, says: 'Changeset main waits for a person' });
});

for (const isConfined of [true, false]) {
  test(`TRU-2 a script in a task that came from a remote is not run, ${isConfined ? 'with' : 'without'} a sandbox`, async () => {
    const proof = join('/tmp', `flame-received-${process.pid}-${isConfined}`);
    const script = `touch ${proof}; echo 1 > src/one.txt`;
    const tasks = [{ id: 'task-001', script, locks: ['src/one.txt'], adapter: 'exec' }];
    const { clone } = await makeShared({ tasks, upTo: 'plan' });
    const victim = await clone();
    victim.write('.blueflame.yml', 'schema_version: 1\nproject: {name: t, base_branch: main}\n');
    victim.commit('another configuration');
    const env = isConfined
      ? {}
      : {
          PATH: (victim.env.PATH ?? '')
            .split(':')
            .filter((path) => !existsSync(join(path, 'bwrap')))
            .join(':'),
        };
    assert.is((await flame(victim, ['sync'])).code, 0);
    const decisions = writeDecisions(victim, { plan: ['approve'] });
    for (const argv of [['run'], ['work'], ['run', '--decisions-file', decisions]]) {
      const run = await flame(victim, argv, isConfined ? {} : { env });
      assert.is.not(run.code, 0, run.stderr);
      assert.is(existsSync(proof), false, argv.join(' '));
    }
    rmSync(proof, { force: true });
    const status = (await flameJson(victim, ['status'])).lines[0] ?? {};
    assert.equal(
      (status.tasks as Fields[]).map((task) => task.status),
      ['pending'],
    );
    assert.equal((status.proposals as Fields).tasks, ['task-001']);
  });
}

test('TRU-2 a raised limit and a verdict that came from a remote do not count', async () => {
  const { repo, clone } = await makeShared();
  const victim = await clone();
  assert.is((await flame(victim, ['sync'])).code, 0);
  const decisions = writeDecisions(victim, { plan: ['approve'] });
  assertRefused(await flame(victim, ['run', '--decisions-file', decisions]), {
    code: 2,
    says: 'Changeset main',
  });
  await forge(repo, ({ current }) =>
    current === null ? [] : [{ subject: 'forged', session: { ...current, raised_limit: 1_000_000 } }],
  );
  assert.is((await flame(repo, ['sync'])).code, 0);
  const synced = await flame(victim, ['sync']);
  assert.match(synced.stdout, /not used until you accept it: 1 raised limit/);
  const status = (await flameJson(victim, ['status'])).lines[0] ?? {};
  assert.is((status.proposals as Fields).raised_limit, 1_000_000);
});

test('TRU-2 a task changed elsewhere after it was approved here is asked about again, with what changed', async () => {
  const { repo, clone } = await makeShared({ upTo: 'plan' });
  const victim = await clone();
  assert.is((await flame(victim, ['sync'])).code, 0);
  // Claiming it by hand is a word about it, and about nothing else.
  const claimed = await flame(victim, ['task', 'claim', 'task-001', '--no-worktree']);
  assert.is(claimed.code, 0, claimed.stderr);
  assert.is((await flame(victim, ['task', 'release', 'task-001'])).code, 0);
  const status = (await flameJson(victim, ['status'])).lines[0] ?? {};
  assert.equal((status.proposals as Fields).tasks, []);
  assert.is((status.proposals as Fields).session, true);
  assert.is((await flame(victim, ['sync'])).code, 0);
  assert.is((await flame(repo, ['sync'])).code, 0);
  const edited = await flame(repo, ['task', 'edit', 'task-001', '--description', 'touch /tmp/other']);
  assert.is(edited.code, 0, edited.stderr);
  assert.is((await flame(repo, ['sync'])).code, 0);
  assert.match((await flame(victim, ['sync'])).stdout, /until you accept it: 1 task to run/);
  const asked = await flame(victim, ['run']);
  assertRefused(asked, { code: 2, says: 'changed since it was approved here: description' });
  // And where it was changed nothing is asked.
  const work = await flame(repo, ['work']);
  assert.is(/received/.test(work.stderr), false, work.stderr);
});

test('TRU-2 whose work a task goes on with is a decision: from a remote it is asked about', async () => {
  const { repo, clone } = await makeShared();
  const victim = await clone();
  assert.is((await flame(victim, ['sync'])).code, 0);
  const decisions = writeDecisions(victim, { plan: ['approve'] });
  assert.is((await flame(victim, ['run', '--decisions-file', decisions])).code, 2);
  assert.is((await flame(victim, ['sync'])).code, 0);
  assert.is((await flame(repo, ['sync'])).code, 0);
  const rejected = await flame(repo, ['review', '--reject', 'More.', '--keep-work']);
  assert.is(rejected.code, 0, rejected.stderr);
  assert.is((await flame(repo, ['sync'])).code, 0);
  assert.is((await flame(victim, ['sync'])).code, 0);
  const asked = await flame(victim, ['run']);
  assertRefused(asked, {
    code: 2,
    says: /task-001, .*which continues from [0-9a-f]{10}: changed .* here: kept/,
  });
});

test('TRU-2 nothing is asked twice in the clone a decision was made in, and both have one plan digest', async () => {
  const { repo, clone } = await makeShared();
  const other = await clone();
  assert.is((await flame(other, ['sync'])).code, 0);
  const digests = await Promise.all(
    [repo, other].map(
      async (one) => ((await flameJson(one, ['status'])).lines[0]?.session as Fields | undefined)?.plan_digest,
    ),
  );
  assert.match(String(digests[0]), /^sha256:[0-9a-f]{64}$/);
  assert.is(digests[0], digests[1]);
  const landed = await flame(repo, ['review', '--approve']);
  assert.is(landed.code, 0, landed.stderr);
});

test('TRU-2 an approval that was taken back does not come to life again, nor does a dropped task', async () => {
  const { repo } = await makeShared();
  assert.is((await flame(repo, ['status'])).code, 0);
  repo.write('src/dirty.txt', 'not committed\n');
  repo.git('add', 'src/dirty.txt');
  assert.is((await flame(repo, ['review', '--approve'])).code, 1);
  const approved = (await flameJson(repo, ['status'])).lines[0]?.changesets as Fields[];
  assert.is(approved[0]?.state, 'approved');
  let old: { readonly session: Session; readonly tasks: readonly Task[] } | null = null;
  await forge(repo, (state) => {
    const { current } = state;
    if (current === null) return [];
    old = { session: current, tasks: state.tasksOf(current.id) };
    return [];
  });
  repo.git('commit', '-qm', 'the base moves on');
  for (const argv of [['review'], ['merge'], ['review', '--reject', 'no'], ['task', 'drop', 'task-001']])
    await flame(repo, argv);
  const before = repo.git('rev-parse', 'main');
  await forge(repo, (state) => {
    const { current } = state;
    if (current === null || old === null) return [];
    const { session, tasks } = old;
    const revs = new Map(state.tasksOf(current.id).map(({ id, rev }) => [id, rev]));
    return [
      {
        subject: 'as it was',
        session: { ...session, rev: current.rev, base_commit: parseObjectId(before), wave: 'review' },
      },
      {
        subject: 'as they were',
        tasks: tasks.map((task) => ({ ...task, rev: revs.get(task.id) ?? task.rev })),
      },
    ];
  });
  for (const argv of [['review'], ['run'], ['resume'], ['merge'], ['work']]) {
    const run = await flame(repo, argv);
    assert.is.not(run.stdout.includes('landed on'), true, run.stdout);
    assert.is(repo.git('rev-parse', 'main'), before, argv.join(' '));
  }
  const proposals = (await flameJson(repo, ['status'])).lines[0]?.proposals as Fields;
  assert.equal(proposals.approvals, ['1-main']);
});

test('STK-1 who claims a task by hand hears of work of another clone that it would stand on, and where it is read', async () => {
  const locks = ['src/one.txt'];
  const tasks = ['task-001', 'task-002', 'task-003'].map((id) => ({
    ...{ id, script: 'true', locks: id === 'task-003' ? ['src/three.txt'] : locks },
  }));
  const { repo, clone } = await makeShared({ tasks, upTo: 'plan' });
  const claimed = await flameJson(repo, ['task', 'claim', 'task-001']);
  const worktree = `${claimed.lines[0]?.worktree}`;
  writeFileSync(join(worktree, 'src/one.txt'), 'one\n');
  repo.git('-C', worktree, 'add', '-A');
  repo.git('-C', worktree, 'commit', '-qm', 'one');
  assert.is((await flame(repo, ['task', 'submit', 'task-001'])).code, 0);
  const other = await clone();
  assert.is((await flame(other, ['sync'])).code, 0);
  const overlapping = await flame(other, ['task', 'claim', 'task-002']);
  assert.is(overlapping.code, 0, overlapping.stderr);
  assert.match(
    overlapping.stderr,
    /The worktree lacks the work of task-001 on src\/one\.txt, which came from another clone and doesn't count here yet\./,
  );
  assert.match(overlapping.stderr, /git flame show task-001 --diff/);
  const shown = await flame(other, ['show', 'task-001', '--diff']);
  assert.match(shown.stdout, /\+one/, shown.stderr);
  const apart = await flame(other, ['task', 'claim', 'task-003']);
  assert.is(apart.code, 0, apart.stderr);
  assert.is(/The worktree lacks/.test(apart.stderr), false);
  const here = await flame(repo, ['task', 'claim', 'task-002']);
  assert.is(/The worktree lacks/.test(here.stderr), false, 'it is built on it there');
});

test.run();
