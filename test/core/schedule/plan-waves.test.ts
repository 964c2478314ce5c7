import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { predictTaskBatches } from '../../../lib/core/schedule/predict-batches.ts';
import { makeTask } from '../../support/tasks.ts';

test('PLN-5 waves follow dependencies, locks, priority and the limit', () => {
  const tasks = [
    makeTask('base', { priority: 2, file_locks: ['src/'] }),
    makeTask('next', { priority: 1, dependencies: ['base'] }),
    makeTask('clash', { priority: 3, file_locks: ['src/main.ts'] }),
    makeTask('docs', { priority: 9, file_locks: ['docs/'] }),
    makeTask('more', { priority: 9, file_locks: ['more/'] }),
  ];
  assert.equal(predictTaskBatches(tasks, 2), [['base', 'docs'], ['next', 'clash'], ['more']]);
  assert.equal(predictTaskBatches(tasks, 1).length, 5);
});

test('PLN-6 no tasks, no waves', () => {
  assert.equal(predictTaskBatches([], 4), []);
});

test('dependencies outside the list are taken as fulfilled; a cycle is in no wave', () => {
  const tasks = [
    makeTask('a', { dependencies: ['merged-before'] }),
    makeTask('b', { dependencies: ['c'] }),
    makeTask('c', { dependencies: ['b'] }),
  ];
  assert.equal(predictTaskBatches(tasks, 0), [['a']]);
});

test.run();
