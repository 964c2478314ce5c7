import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  blockDependents,
  listUnblockableTasks,
  requeueDoneDependents,
} from '../../../lib/core/task/block-dependents.ts';
import { findTransitiveDependents } from '../../../lib/core/task/stack-state.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makePassed, makeTask, testTime } from '../../support/tasks.ts';

const graph: readonly Task[] = [
  makeTask('root', { status: 'failed' }),
  makeTask('child', { dependencies: ['root'] }),
  makeTask('again', { dependencies: ['root'], status: 'requeued' }),
  makeTask('grandchild', { dependencies: ['other', 'child'] }),
  makeTask('over-done', { dependencies: ['finished'] }),
  makeTask('finished', { dependencies: ['root'], status: 'done' }),
  makeTask('other'),
  makeTask('cousin', { dependencies: ['other'] }),
  makeTask('running', { dependencies: ['root'], status: 'claimed' }),
  makeTask('gone', { dependencies: ['root'], status: 'dropped' }),
];

test('SCH-4 exactly the transitive dependents that wait are blocked, each with the reason', () => {
  const changes = blockDependents(graph, 'root', 'the agent crashed 3 times');
  assert.equal(
    changes.map(({ task }) => [task.id, task.status, task.reason]),
    [
      ['again', 'blocked', 'needs root: the agent crashed 3 times'],
      ['child', 'blocked', 'needs root: the agent crashed 3 times'],
      ['grandchild', 'blocked', 'needs root (through child): the agent crashed 3 times'],
      ['over-done', 'blocked', 'needs root (through finished): the agent crashed 3 times'],
    ],
  );
  assert.is(changes[1]?.subject, 'child: pending -> blocked: needs root: the agent crashed 3 times');
});

test('a task that nothing depends on blocks nothing', () => {
  assert.equal(blockDependents(graph, 'grandchild', 'x'), []);
  assert.equal(blockDependents(graph, 'nowhere', 'x'), []);
});

test('SCH-4 they unblock, whole chains at once, when what failed is requeued', () => {
  const blocked = replace(
    graph,
    blockDependents(graph, 'root', 'x').map(({ task }) => task),
  );
  assert.equal(listUnblockableTasks(blocked), []);
  const requeued = replace(blocked, [makeTask('root', { status: 'requeued' })]);
  // `gone` was dropped, but nothing needs it.
  assert.equal(
    listUnblockableTasks(requeued).map(({ id }) => id as string),
    ['again', 'child', 'grandchild', 'over-done'],
  );
});

test('done work on a task that was refused begins again, so that the refused commits never land', () => {
  const tasks = [
    makeTask('a', { status: 'requeued' }),
    makePassed('b', { dependencies: ['a'] }),
    makePassed('c', { dependencies: ['b'] }),
    makeTask('d', { dependencies: ['a'] }),
    makeTask('e', { dependencies: ['a'], status: 'merged' }),
    makePassed('f', { dependencies: ['e'] }),
    makePassed('g'),
  ];
  const changes = requeueDoneDependents(tasks, 'a', { at: testTime });
  assert.equal(
    changes.map(({ task, subject }) => [task.status, subject]),
    [
      ['requeued', 'b: done -> requeued, restart: was stacked on a, which is now requeued'],
      ['requeued', 'c: done -> requeued, restart: was stacked on a, which is now requeued'],
    ],
  );
});

test('what also needs another lost task stays blocked', () => {
  const tasks = [
    makeTask('a', { status: 'pending' }),
    makeTask('b', { status: 'dropped' }),
    makeTask('c', { status: 'blocked', dependencies: ['a', 'b'] }),
    makeTask('d', { status: 'blocked', dependencies: ['c'] }),
    makeTask('e', { status: 'blocked', dependencies: ['a'] }),
  ];
  assert.equal(
    listUnblockableTasks(tasks).map(({ id }) => id as string),
    ['e'],
  );
});

test('a merged task passes nothing on: its work is on the base', () => {
  const tasks = [
    makeTask('a', { status: 'failed' }),
    makeTask('b', { status: 'merged', dependencies: ['a'] }),
    makeTask('c', { dependencies: ['b'] }),
  ];
  assert.equal(blockDependents(tasks, 'a', 'x'), []);
  assert.equal([...findTransitiveDependents(tasks, ['a'])], []);
});

test('dependents are found through a cycle once, and never include the given tasks', () => {
  const tasks = [
    makeTask('a', { dependencies: ['c'] }),
    makeTask('b', { dependencies: ['a'] }),
    makeTask('c', { dependencies: ['b'] }),
  ];
  assert.equal(
    [...findTransitiveDependents(tasks, ['a'])],
    [
      ['b', 'a'],
      ['c', 'b'],
    ],
  );
});

function replace(tasks: readonly Task[], changed: readonly Task[]): Task[] {
  const byId = new Map(changed.map((task) => [task.id, task]));
  return tasks.map((task) => byId.get(task.id) ?? task);
}

test.run();
