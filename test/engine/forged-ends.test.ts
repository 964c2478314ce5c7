import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { agentAuthor, type ObjectId, parseTaskId } from '../../lib/domain/ids.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import { endSession } from '../../lib/engine/end-session.ts';
import { decideAndRecord, viewSession } from '../../lib/engine/record-changes.ts';
import { closeForged, doubtsOf, forge, makeSession, reopen, taskIn } from '../support/forged-session.ts';
import { openRepo } from '../support/repo.ts';
import { alterTask } from '../support/tasks.ts';

test.after(closeForged);

// TRU-2: what somebody with push rights says has ended, in the notes of a session of this clone.

test('TRU-2 a task that is merged by its note alone is as this clone left it', async () => {
  const bench = await makeSession();
  const before = await taskIn(bench, 'a');
  assert.ok(before?.status === 'done');
  await forge(bench, { task: ['a', { status: 'merged' }] });
  assert.equal(await taskIn(bench, 'a'), before);
  assert.equal(await doubtsOf(bench), [`a merged at ${before.commit.slice(0, 10)}: done`]);
});

test('TRU-2 neither a commit the base had before nor a branch that another clone names proves that work is merged', async () => {
  const bench = await makeSession();
  const main = bench.repo.git('rev-parse', 'main') as ObjectId;
  await forge(bench, { task: ['a', { status: 'merged', commit: main }] });
  assert.is((await taskIn(bench, 'a'))?.status, 'done');
  const other = await makeSession();
  const work = await taskIn(other, 'a');
  await forge(other, {
    task: ['a', { status: 'merged' }],
    session: { base_branch: `blueflame/${other.session}/a` },
  });
  assert.ok(work?.commit);
  assert.is((await taskIn(other, 'a'))?.status, 'done');
});

test('TRU-2 work that another clone landed counts once the base here holds it', async () => {
  const bench = await makeSession();
  const work = await taskIn(bench, 'a');
  await forge(bench, { task: ['a', { status: 'merged' }] });
  assert.is((await taskIn(bench, 'a'))?.status, 'done');
  bench.repo.git('merge', '-q', '--no-ff', '-m', 'land', work?.commit ?? '');
  // Noticed by who has looked before too, and by who looks now.
  for (const again of [bench, await reopen(bench)]) {
    assert.is((await taskIn(again, 'a'))?.status, 'merged');
    assert.equal(await doubtsOf(again), []);
  }
});

test("TRU-2 work that came to the base by a merge proves nothing of a task that isn't known here as its, and no merge names", async () => {
  const bench = await makeSession();
  const [a, b] = [await taskIn(bench, 'a'), await taskIn(bench, 'b')];
  assert.ok(a?.status === 'done' && b?.status === 'failed');
  bench.repo.git('switch', '-q', '-c', 'feature');
  bench.repo.write('feature.txt', 'a change of the person\n');
  bench.repo.commit('feature');
  const commit = bench.repo.git('rev-parse', 'feature') as ObjectId;
  bench.repo.git('switch', '-q', 'main');
  bench.repo.git('merge', '-q', '--no-ff', '-m', 'Merge feature', 'feature');
  const { start_commit } = a;
  await forge(bench, { task: ['a', { status: 'merged', commit }] });
  await forge(bench, {
    task: ['b', { status: 'merged', commit, start_commit, branch: a.branch }],
    session: { state: 'ended', wave: 'done' },
  });
  assert.equal([await taskIn(bench, 'a'), await taskIn(bench, 'b')], [a, b]);
  assert.is((await viewSession(bench.context, bench.session)).session.state, 'active');
  // A landing of the other clone says whose work it is; noticed by who has looked before.
  const message = `main: Do b\n\n* b: Do b\n\nTask: b\nSession: ${bench.session}\n`;
  bench.repo.git('switch', '-q', '-c', 'other', 'feature');
  bench.repo.write('b.txt', 'done\n');
  bench.repo.commit('b');
  bench.repo.git('switch', '-q', 'main');
  bench.repo.git('merge', '-q', '--no-ff', '-m', message, 'other');
  assert.is((await taskIn(bench, 'a'))?.status, 'done');
  assert.is((await taskIn(bench, 'b'))?.status, 'merged');
});

test("TRU-2 a merge that an agent made within its work proves nothing of another's task", async () => {
  const bench = await makeSession();
  const { repo, session } = bench;
  const b = await taskIn(bench, 'b');
  assert.ok(b?.status === 'failed');
  repo.git('switch', '-q', '-c', 'work');
  repo.write('side.txt', 'of another task\n');
  const side = repo.commit('side') as ObjectId;
  const [first, tree] = [repo.git('rev-parse', 'main'), repo.git('rev-parse', 'HEAD^{tree}')];
  const says = `Merge branch 'blueflame/${session}/b'\n\nTask: b\nSession: ${session}\n`;
  const { name, email } = agentAuthor('worker-0000abcd');
  const committer = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  const env = { ...repo.env, ...committer };
  const inner = openRepo(repo.path, env).git('commit-tree', '-p', first, '-p', side, '-m', says, tree);
  repo.git('switch', '-q', 'main');
  repo.git('merge', '-q', '--no-ff', '-m', 'land a', inner);
  await forge(bench, { task: ['b', { status: 'merged', commit: side, start_commit: first as ObjectId }] });
  assert.equal(await taskIn(bench, 'b'), b);
});

test('TRU-2 a task that was dropped elsewhere is open here; one that was dropped here stays so', async () => {
  const bench = await makeSession();
  await forge(bench, { task: ['a', { status: 'dropped', reason: 'forged' }] });
  assert.is((await taskIn(bench, 'a'))?.status, 'done');
  const own = await makeSession();
  await decideAndRecord(own.context, own.session, ({ tasks }) => ({
    steps: tasks
      .filter(({ id }) => id === 'a')
      .map((task) => ({
        task: alterTask(task, { status: 'dropped', reason: 'not wanted' }),
        ...{ subject: 'a: dropped', transition: 'done -> dropped' },
      })),
  }));
  assert.is((await taskIn(own, 'a'))?.status, 'dropped');
  assert.equal(await doubtsOf(own), []);
});

test('TRU-2 a task that was never decided here is received work where its note alone says it is merged', async () => {
  const bench = await makeSession();
  const work = await taskIn(bench, 'a');
  assert.ok(work?.status === 'done');
  const [merged, dropped] = [parseTaskId('t-merged'), parseTaskId('t-dropped')];
  await bench.said.transact(() => ({
    changes: [
      {
        subject: 'forged',
        tasks: [
          alterTask(work, { id: merged, status: 'merged' }),
          alterTask(work, { id: dropped, status: 'dropped', reason: 'forged' }),
        ],
      },
    ],
    actor: 'Lea Lead <lea@example.com>',
  }));
  const { tasks, received } = await viewSession(bench.context, bench.session);
  assert.equal(
    received.map(({ id, status, commit }) => [id, status, commit]),
    [[merged, 'done', work.commit]],
  );
  assert.is(tasks.find(({ id }) => id === dropped)?.status, 'dropped');
  assert.equal(await doubtsOf(bench), [`t-merged merged at ${work.commit.slice(0, 10)}: done`]);
  // A session that says it has ended with them has not.
  await forge(bench, { session: { state: 'ended', wave: 'done' } });
  assert.is((await viewSession(bench.context, bench.session)).session.state, 'active');
});

test('TRU-2 a session that ended elsewhere goes on here, and what is written keeps what was said of it', async () => {
  const bench = await makeSession();
  const { context, session, said } = bench;
  const { wave } = (await viewSession(context, session)).session;
  await forge(bench, { session: { state: 'ended', wave: 'done' } });
  assert.equal(
    [(await context.store.snapshot()).current].map((one) => [one?.state, one?.wave]),
    [['active', wave]],
  );
  await decideAndRecord(context, session, (view) => ({
    session: { next: { ...view.session, cost_usd: 3 }, subject: 'spent' },
  }));
  const stored = async (): Promise<Session | null> => (await said.snapshot()).current;
  assert.equal([(await stored())?.state, (await stored())?.cost_usd], ['ended', 3]);
  assert.is((await viewSession(context, session)).session.state, 'active');
  // Work that goes on in it says so to all.
  await decideAndRecord(context, session, (view) => ({
    session: { next: { ...view.session, wave: 'validate' }, subject: 'wave: validate' },
  }));
  assert.equal([(await stored())?.state, (await stored())?.wave], ['active', 'validate']);
  assert.equal(await doubtsOf(bench), []);
  await forge(bench, { session: { state: 'ended', wave: 'done' } });
  await endSession(context, session, 'enough');
  assert.equal(await doubtsOf(bench), []);
  assert.is((await viewSession(context, session)).session.state, 'ended');
});

test('TRU-2 a changeset that landed by its note alone waits as before', async () => {
  const bench = await makeSession();
  const { context, session } = bench;
  const work = await taskIn(bench, 'a');
  assert.ok(work?.commit);
  const set = {
    ...{
      id: '1-main',
      group: 'main',
      tasks: [work.id],
      works: [work.commit],
      missing: [],
      depends_on: [],
      state: 'waiting' as const,
    },
    ...{ base: work.commit, parent: work.commit, commit: work.commit, diagnostics: [], reason: null },
    ...{ diffstat: { files: 1, insertions: 1, deletions: 0 }, decided_by: null, landed_commit: null },
  };
  await decideAndRecord(context, session, (view) => ({
    session: { next: { ...view.session, changesets: [set] }, subject: 'built' },
  }));
  await forge(bench, {
    session: {
      changesets: [{ ...set, state: 'landed', landed_commit: work.commit, decided_by: 'Lea Lead' }],
    },
  });
  const { changesets } = (await viewSession(context, session)).session;
  assert.equal(
    changesets.map(({ state, decided_by, landed_commit }) => [state, decided_by, landed_commit]),
    [['waiting', null, null]],
  );
});

test('TRU-2 what a thousand notes say is looked into by a few gits', async () => {
  const bench = await makeSession();
  const work = await taskIn(bench, 'a');
  assert.ok(work?.commit);
  const commit = work.commit;
  const many = Array.from({ length: 1000 }, (_, at) => `t-${at}`);
  await bench.said.transact((state) => ({
    changes: [
      {
        subject: 'forged',
        tasks: many.flatMap((id) =>
          state
            .tasksOf(bench.session)
            .filter((task) => task.id === 'a')
            .map((task) => alterTask(task, { id: id as Task['id'], status: 'merged', commit })),
        ),
      },
    ],
    actor: 'Lea Lead <lea@example.com>',
  }));
  const trace = join(bench.repo.path, '..', 'trace');
  const counted = await reopen(bench, { GIT_TRACE2_EVENT: trace });
  assert.is((await doubtsOf(counted)).length, 1000);
  assert.ok(startsIn(trace) <= 8, `${startsIn(trace)}`);
});

function startsIn(trace: string): number {
  return readFileSync(trace, 'utf8').split('"event":"start"').length - 1;
}

test.run();
