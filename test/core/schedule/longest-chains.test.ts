import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { computeChainLengths, longestChainLength } from '../../../lib/core/schedule/predict-batches.ts';
import { makeTask } from '../../support/tasks.ts';

const [one, two, three, other] = [
  makeTask('one', { file_locks: ['a.ts'] }),
  makeTask('two', { file_locks: ['b.ts'], dependencies: ['one'] }),
  makeTask('three', { file_locks: ['lib/'], dependencies: ['two'] }),
  makeTask('other', { file_locks: ['lib/c.ts'], priority: 99 }),
] as const;

test('the chain from a task that waits itself is the longest that begins with it', () => {
  const tasks = [one, two, three, other];
  const chains = computeChainLengths(tasks);
  assert.equal([...chains].sort(), [
    ['one', 4],
    ['other', 1],
    ['three', 2],
    ['two', 3],
  ]);
  for (const task of tasks) assert.is(longestChainLength(task, tasks), chains.get(task.id));
});

test('the chain from one that is at work has what depends on it and what wants its files', () => {
  assert.is(longestChainLength(one, [two, three, other]), 4);
  assert.is(longestChainLength(two, [three, other]), 3);
  assert.is(longestChainLength(three, [other]), 2);
  assert.is(longestChainLength(other, [three]), 2, 'one that comes first by its priority waits all the same');
  assert.is(longestChainLength(one, [other]), 1);
  assert.is(longestChainLength(one, []), 1);
});

test('tasks that have changed have other chains', () => {
  const before = [one, two];
  assert.is(longestChainLength(one, before), 2);
  assert.is(longestChainLength(one, [one, makeTask('two', { file_locks: ['b.ts'] })]), 1);
  assert.is(longestChainLength(one, before), 2);
  before.push(three);
  assert.is(longestChainLength(one, before), 3, 'a list that grew');
});

test.run();
