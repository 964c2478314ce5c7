import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FlameError } from '../../lib/domain/flame-error.ts';
import { parseObjectId, parseRefName } from '../../lib/domain/ids.ts';
import { makeRepo } from '../support/repo.ts';
import { alterTask } from '../support/tasks.ts';
import { closeTestStores, createTasks, openTestStore, sampleSessionId, sampleTask, setStatus } from './sample.ts';

const main = parseRefName('refs/heads/main');

test('UNI-4 a branch and the state move together', async () => {
  const repo = makeRepo();
  const old = parseObjectId(repo.git('rev-parse', 'HEAD'));
  repo.write('b.txt', 'b\n');
  const next = parseObjectId(repo.commit('b'));
  repo.git('reset', '-q', '--hard', old);
  const store = await openTestStore(repo);
  const result = await store.transact(() => ({
    actor: 'a',
    changes: [{ subject: 'landed', tasks: [sampleTask('task-001', { status: 'merged' })] }],
    refs: [
      { ref: main, old, new: next },
      { ref: parseRefName('refs/heads/blueflame/x'), old: null, new: next },
    ],
  }));
  await store.close();
  assert.is(result.kind, 'done');
  assert.is(repo.git('rev-parse', 'main'), next);
  assert.is(repo.git('rev-parse', 'blueflame/x'), next);
  assert.is(repo.git('rev-list', '--count', 'refs/blueflame/tasks'), '1');
  // Only state refs need to be told to keep a reflog; the person's settings decide on the others.
  assert.ok(existsSync(join(repo.path, '.git/logs/refs/heads/main')));
});

test('a ref that moved is an answer, and nothing has changed', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const expected = parseObjectId('1'.repeat(40));
  const store = await openTestStore(repo);
  const change = { subject: 'landed', tasks: [sampleTask('task-001')] };
  const moved = await store.transact(() => ({
    actor: 'a',
    changes: [change],
    refs: [{ ref: main, old: expected, new: head }],
  }));
  assert.equal(moved, { kind: 'ref-moved', ref: main, expected, actual: head });
  const there = await store.transact(() => ({
    actor: 'a',
    changes: [change],
    refs: [{ ref: main, old: null, new: head }],
  }));
  assert.equal(there, { kind: 'ref-moved', ref: main, expected: null, actual: head });
  const gone = parseRefName('refs/heads/gone');
  const absent = await store.transact(() => ({
    actor: 'a',
    changes: [change],
    refs: [{ ref: gone, old: head, new: null }],
  }));
  assert.equal(absent, { kind: 'ref-moved', ref: gone, expected: head, actual: null });
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
  await store.close();
});

test('refs can be deleted in a transaction, and moved without any change', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  repo.git('branch', 'side');
  const store = await openTestStore(repo);
  const result = await store.transact(() => ({
    actor: 'a',
    changes: [],
    refs: [{ ref: parseRefName('refs/heads/side'), old: head, new: null }],
  }));
  await store.close();
  assert.is(result.kind, 'done');
  assert.is(repo.git('branch', '--list', 'side'), '');
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
});

test('changes by others in between are decided on anew', async () => {
  const repo = makeRepo();
  const [mine, other] = [await openTestStore(repo), await openTestStore(repo)];
  await createTasks(mine, [sampleTask('task-001'), sampleTask('task-002')]);
  // The other store has its own copy of the state, and the first decision meets a ref it moved.
  let calls = 0;
  const seen: string[] = [];
  await setStatus(other, 'task-001', 'claimed');
  const theirs = setStatus(other, 'task-001', 'done');
  await mine.transact((snapshot) => {
    calls += 1;
    const [first, second] = snapshot.tasksOf(sampleSessionId);
    seen.push(first?.status ?? '');
    if (second === undefined) return null;
    return { actor: 'a', changes: [{ subject: 'x', tasks: [alterTask(second, { status: 'claimed' })] }] };
  });
  await theirs;
  const statuses = (await mine.snapshot()).tasksOf(sampleSessionId).map(({ status, rev }) => [status, rev]);
  assert.equal(statuses, [
    ['done', 3],
    ['claimed', 2],
  ]);
  assert.is(seen.length, calls);
  assert.is(repo.git('rev-list', '--count', 'refs/blueflame/tasks'), '4');
  await mine.close();
  await other.close();
});

test('a decision never rests on a session another process has just ended', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  // Moved between the reading and the compare-and-swap of the decision, by stock git.
  let isFirst = true;
  const tree = repo.git('rev-parse', 'refs/blueflame/tasks^{tree}');
  const result = await store.transact((snapshot) => {
    const [task] = snapshot.tasksOf(sampleSessionId);
    if (isFirst) repo.git('update-ref', 'refs/blueflame/sessions', repo.git('commit-tree', '-m', 'x', tree));
    if (!isFirst || task === undefined) return null;
    isFirst = false;
    return { actor: 'a', changes: [{ subject: 'x', tasks: [alterTask(task, { status: 'claimed' })] }] };
  });
  await store.close();
  assert.is(result.kind, 'nothing');
  assert.is(repo.git('rev-list', '--count', 'refs/blueflame/tasks'), '1');
});

test('callers at the same time share ref transactions; one that throws fails alone', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const ids = Array.from({ length: 40 }, (_, at) => `task-${at + 1}`);
  await createTasks(
    store,
    ids.map((id) => sampleTask(id)),
  );
  const movesBefore = countMoves(repo.git('reflog', 'show', '--format=%gs', 'refs/blueflame/tasks'));
  const results = await Promise.allSettled([
    ...ids.map((id) => setStatus(store, id, 'claimed')),
    store.transact(() => {
      throw new Error('mine alone');
    }),
    createTasks(store, [sampleTask('bad', { priority: 0 })]),
    setStatus(store, 'task-1', 'done'),
  ]);
  const moves = countMoves(repo.git('reflog', 'show', '--format=%gs', 'refs/blueflame/tasks')) - movesBefore;
  const tasks = (await store.snapshot()).tasksOf(sampleSessionId);
  await store.close();
  assert.equal(
    results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason.message)] : [])).length,
    2,
  );
  assert.is(tasks.length, 40);
  assert.is(tasks.find(({ id }) => id === 'task-1')?.status, 'done');
  assert.is(tasks.find(({ id }) => id === 'task-1')?.rev, 3);
  assert.ok(tasks.every(({ status }) => status !== 'pending'));
  assert.is(repo.git('rev-list', '--count', 'refs/blueflame/tasks'), '42');
  assert.is(moves, 1);
});

test('in a group, a ref that moved fails its caller alone', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const store = await openTestStore(repo);
  const results = await Promise.all([
    store.transact(() => ({ actor: 'a', changes: [{ subject: '1', tasks: [sampleTask('one')] }] })),
    store.transact(() => ({
      actor: 'a',
      changes: [{ subject: '2', tasks: [sampleTask('two')] }],
      refs: [{ ref: main, old: parseObjectId('1'.repeat(40)), new: head }],
    })),
    store.transact(() => ({
      actor: 'a',
      changes: [{ subject: '3', tasks: [sampleTask('three')] }],
      refs: [{ ref: parseRefName('refs/heads/new'), old: null, new: head }],
    })),
    store.transact(() => ({
      actor: 'a',
      changes: [],
      refs: [{ ref: parseRefName('refs/heads/new'), old: head, new: null }],
    })),
  ]);
  assert.equal(
    results.map(({ kind }) => kind),
    ['done', 'ref-moved', 'done', 'done'],
  );
  assert.equal(
    (await store.snapshot()).tasksOf(sampleSessionId).map(({ id }) => id),
    ['one', 'three'],
  );
  await store.close();
});

test('a ref git refuses fails its caller alone', async () => {
  const repo = makeRepo();
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const store = await openTestStore(repo);
  const results = await Promise.allSettled([
    store.transact(() => ({ actor: 'a', changes: [{ subject: '1', tasks: [sampleTask('one')] }] })),
    store.transact(() => ({
      actor: 'a',
      changes: [],
      refs: [{ ref: parseRefName('refs/heads/main/below'), old: null, new: head }],
    })),
  ]);
  await store.close();
  const [first, second] = results;
  assert.is(first?.status, 'fulfilled');
  assert.is(second?.status === 'rejected' && (second.reason as FlameError).code, 'ref-in-the-way');
});

test('a lock file left by a killed git is named, not removed', async () => {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  const lock = join(repo.path, '.git/refs/blueflame/tasks.lock');
  writeFileSync(lock, '');
  utimesSync(lock, new Date('2026-01-01'), new Date('2026-01-01'));
  const error = await setStatus(store, 'task-001', 'claimed').catch((caught: unknown) => caught);
  await store.close();
  assert.is((error as FlameError).code, 'ref-locked');
  assert.ok((error as FlameError).message.includes(lock));
  assert.ok(existsSync(lock));
});

function countMoves(reflog: string): number {
  return reflog.split('\n').filter((line) => line !== '').length;
}

test.after(closeTestStores);
test.run();
