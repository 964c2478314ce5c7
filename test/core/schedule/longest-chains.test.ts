import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { computeChainLengths } from '../../../lib/core/schedule/predict-batches.ts';
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
});

test.run();
