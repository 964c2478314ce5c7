import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chainFrom, longestChains } from '../../../lib/core/schedule/plan-waves.ts';
import { makeTask } from '../../support/tasks.ts';

const [one, two, three, other] = [
  makeTask('one', { file_locks: ['a.ts'] }),
  makeTask('two', { file_locks: ['b.ts'], dependencies: ['one'] }),
  makeTask('three', { file_locks: ['lib/'], dependencies: ['two'] }),
  makeTask('other', { file_locks: ['lib/c.ts'], priority: 99 }),
] as const;

test('the chain from a task that waits itself is the longest that begins with it', () => {
  const tasks = [one, two, three, other];
  const chains = longestChains(tasks);
  assert.equal([...chains].sort(), [
    ['one', 4],
    ['other', 1],
    ['three', 2],
    ['two', 3],
  ]);
  for (const task of tasks) assert.is(chainFrom(task, tasks), chains.get(task.id));
});

test('the chain from one that is at work has what depends on it and what wants its files', () => {
  assert.is(chainFrom(one, [two, three, other]), 4);
  assert.is(chainFrom(two, [three, other]), 3);
  assert.is(chainFrom(three, [other]), 2);
  assert.is(chainFrom(other, [three]), 2, 'one that comes first by its priority waits all the same');
  assert.is(chainFrom(one, [other]), 1);
  assert.is(chainFrom(one, []), 1);
});

test('tasks that have changed have other chains', () => {
  const before = [one, two];
  assert.is(chainFrom(one, before), 2);
  assert.is(chainFrom(one, [one, makeTask('two', { file_locks: ['b.ts'] })]), 1);
  assert.is(chainFrom(one, before), 2);
  before.push(three);
  assert.is(chainFrom(one, before), 3, 'a list that grew');
});

test.run();
