import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nextWake, selectReady } from '../../../lib/core/schedule/select-ready.ts';
import type { Task } from '../../../lib/domain/state/task.ts';
import { alterTask, makeTask } from '../../support/tasks.ts';

const now = Date.parse('2026-02-06T15:00:00Z');
const later = '2026-02-06T15:00:02.500Z';

function select(tasks: readonly Task[], options: { limit?: number; running?: readonly Task[] } = {}) {
  const { limit = 4, running = [] } = options;
  const { selected, deferred } = selectReady({ tasks, running, limit, now });
  return {
    selected: selected.map(({ id }) => id as string),
    deferred: deferred.map(({ task, because }) => `${task.id} ${because}`),
  };
}

test('SCH-1 by priority, then id, up to the limit', () => {
  const tasks = [
    makeTask('c', { priority: 1 }),
    makeTask('b', { priority: 2 }),
    makeTask('a', { priority: 2 }),
    makeTask('d', { priority: 3 }),
  ];
  assert.equal(select(tasks, { limit: 3 }), {
    selected: ['c', 'a', 'b'],
    deferred: ['d no agent is free (limit 3)'],
  });
});

test('SCH-1 only pending tasks whose dependencies are all done or merged are ready', () => {
  const tasks = [
    makeTask('done', { status: 'done' }),
    makeTask('merged', { status: 'merged' }),
    makeTask('failed', { status: 'failed' }),
    makeTask('requeued', { status: 'requeued' }),
    makeTask('blocked', { status: 'blocked' }),
    makeTask('on-done', { dependencies: ['done', 'merged'] }),
    makeTask('on-failed', { dependencies: ['done', 'failed'] }),
    makeTask('on-requeued', { dependencies: ['requeued'] }),
    makeTask('on-nothing-known', { dependencies: ['nowhere'] }),
    makeTask('on-pending', { dependencies: ['on-done'] }),
  ];
  assert.equal(select(tasks), { selected: ['on-done'], deferred: [] });
});

test('SCH-1 a task waits until its backoff has elapsed', () => {
  const tasks = [
    makeTask('early', { not_before: new Date(now).toISOString() }),
    makeTask('late', { not_before: later }),
  ];
  assert.equal(select(tasks).selected, ['early']);
});

test('SCH-1 a lower priority goes where a higher one is deferred', () => {
  const tasks = [
    makeTask('a', { priority: 1, file_locks: ['src/'] }),
    makeTask('b', { priority: 2, file_locks: ['docs/x.md', 'src/a.ts'] }),
    makeTask('c', { priority: 3, file_locks: ['docs/**'] }),
  ];
  assert.equal(select(tasks), { selected: ['a', 'c'], deferred: ['b shares src/a.ts with a'] });
});

test('SCH-2 what runs holds its locks and its place, named or found among the tasks', () => {
  const running = makeTask('run', { status: 'claimed', file_locks: ['src/**'] });
  const tasks = [makeTask('a', { file_locks: ['src/x.ts'] }), makeTask('b'), makeTask('c')];
  const rest = tasks.map((task, index) =>
    index === 0 ? task : { ...task, file_locks: [`docs/${task.id}`] },
  );
  const expected = {
    selected: ['b'],
    deferred: ['a shares src/x.ts with run', 'c no agent is free (limit 2)'],
  };
  assert.equal(select(rest, { limit: 2, running: [running] }), expected);
  assert.equal(select([...rest, running], { limit: 2 }), expected);
  assert.equal(select([...rest, running], { limit: 2, running: [running] }), expected);
});

test('SCH-3 a deferred task is taken as soon as its locks are free', () => {
  const tasks = [makeTask('a', { file_locks: ['src/'] }), makeTask('b', { file_locks: ['src/b.ts'] })];
  assert.equal(select(tasks).selected, ['a']);
  assert.equal(select([alterTask(tasks[0]!, { status: 'done' }), tasks[1]!]).selected, ['b']);
});

test('no limit is exceeded by what runs already', () => {
  const running = [makeTask('x', { status: 'claimed' }), makeTask('y', { status: 'claimed' })];
  assert.equal(select([makeTask('a')], { limit: 1, running }).selected, []);
});

test('the next wake is the earliest backoff of a task that nothing else holds back', () => {
  const soon = '2026-02-06T15:00:01Z';
  const tasks = [
    makeTask('a', { not_before: later }),
    makeTask('b', { not_before: '2026-02-06T15:01:00Z' }),
    makeTask('c', { not_before: soon, status: 'dropped' }),
    makeTask('d', { not_before: soon, dependencies: ['a'] }),
    makeTask('e', { not_before: '2026-02-06T14:59:00Z' }),
    makeTask('f'),
  ];
  assert.is(nextWake(tasks, now), 2_500);
  assert.is(nextWake(tasks.slice(2), now), null);
  assert.is(nextWake([], now), null);
});

test.run();
