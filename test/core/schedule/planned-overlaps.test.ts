import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listPlannedOverlaps, predictTaskBatches } from '../../../lib/core/schedule/predict-batches.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makeTask } from '../../support/tasks.ts';

function ground(tasks: readonly Task[]): readonly string[] {
  return listPlannedOverlaps(tasks, predictTaskBatches(tasks, 4)).map(
    ({ task, below }) => `${task} on ${below.map((one) => `${one.task} (${one.lock})`).join(', ')}`,
  );
}

test('STK-5 a plan says which tasks build on which, and of a chain only the last', () => {
  const tasks = ['a', 'b', 'c'].map((id) => makeTask(id, { file_locks: ['price.js', `${id}.md`] }));
  assert.equal(ground(tasks), ['b on a (price.js)', 'c on b (price.js)']);
});

test('STK-5 works that are apart are both named; dependencies stand by themselves', () => {
  const tasks = [
    makeTask('a', { file_locks: ['src/a.ts'] }),
    makeTask('b', { file_locks: ['src/b.ts'] }),
    makeTask('c', { file_locks: ['src'], priority: 9 }),
    makeTask('d', { file_locks: ['src/a.ts'], dependencies: ['c'], priority: 9 }),
    makeTask('e', { file_locks: ['docs/'] }),
  ];
  assert.equal(ground(tasks), ['c on b (src), a (src)']);
});

test.run();
