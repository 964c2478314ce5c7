import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listChangesetsToBuild } from '../../../lib/core/changesets/changesets-to-build.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makePassed, makeTask } from '../../support/tasks.ts';

function group(tasks: readonly Task[]) {
  const { changesets, waiting } = listChangesetsToBuild(tasks);
  return {
    changesets: changesets.map(({ group, tasks, missing, dependsOn }) => ({
      group,
      tasks: tasks.map(({ id }) => id as string),
      missing: missing.map(({ id }) => id as string),
      dependsOn,
    })),
    waiting: waiting.map(({ task, because }) => `${task.id} ${because}`),
  };
}

test('MRG-1 one changeset per cohesion group, its tasks in dependency order, then priority, then id', () => {
  const tasks = [
    makePassed('a', { dependencies: ['d'], priority: 1 }),
    makePassed('b', { priority: 2 }),
    makePassed('c', { priority: 2 }),
    makePassed('d', { priority: 9 }),
  ];
  assert.equal(group(tasks), {
    changesets: [{ group: 'main', tasks: ['b', 'c', 'd', 'a'], missing: [], dependsOn: [] }],
    waiting: [],
  });
});

test('MRG-3 groups in dependency order, then by their highest priority, then name', () => {
  const tasks = [
    makePassed('1', { cohesion_group: 'api', priority: 1, dependencies: ['2'] }),
    makePassed('2', { cohesion_group: 'auth', priority: 5 }),
    makePassed('3', { cohesion_group: 'docs', priority: 3 }),
    makePassed('4', { cohesion_group: 'css', priority: 3 }),
    makePassed('5', { cohesion_group: 'ui', priority: 9, dependencies: ['1', '2'] }),
  ];
  const { changesets } = group(tasks);
  assert.equal(
    changesets.map(({ group, dependsOn }) => [group, dependsOn]),
    [
      ['css', []],
      ['docs', []],
      ['auth', []],
      ['api', ['auth']],
      ['ui', ['api', 'auth']],
    ],
  );
});

test('groups that need each other in a circle go together, what needs one of them needs both', () => {
  const tasks = [
    makePassed('1', { cohesion_group: 'web', dependencies: ['2'] }),
    makePassed('2', { cohesion_group: 'api' }),
    makePassed('3', { cohesion_group: 'api', dependencies: ['1'] }),
    makePassed('4', { cohesion_group: 'ui', priority: 1, dependencies: ['1'] }),
    makeTask('5', { cohesion_group: 'web', status: 'failed' }),
  ];
  assert.equal(group(tasks).changesets, [
    { group: 'api+web', tasks: ['2', '1', '3'], missing: ['5'], dependsOn: [] },
    { group: 'ui', tasks: ['4'], missing: [], dependsOn: ['api+web'] },
  ]);
});

test('VAL-6 of an incomplete group what passed goes on, and what is missing is named', () => {
  const failedVerdict = { status: 'fail', notes: '', issues: [] } as const;
  const tasks = [
    makePassed('ok'),
    makePassed('red', { result: { ...failedVerdict, issues: [] }, priority: 1 }),
    makeTask('failed', { status: 'failed' }),
    makeTask('open', { status: 'pending' }),
    makeTask('landed', { status: 'merged' }),
    makeTask('gone', { status: 'dropped' }),
    makeTask('elsewhere', { cohesion_group: 'other', status: 'failed' }),
  ];
  assert.equal(group(tasks), {
    changesets: [{ group: 'main', tasks: ['ok'], missing: ['red', 'failed', 'open'], dependsOn: [] }],
    waiting: [],
  });
});

test('a task whose ground is not there waits, and so does all that needs it', () => {
  const tasks = [
    makeTask('landed', { status: 'merged' }),
    makeTask('requeued', { status: 'requeued' }),
    makeTask('unjudged', { status: 'done' }),
    makePassed('on-landed', { dependencies: ['landed'] }),
    makePassed('on-requeued', { dependencies: ['landed', 'requeued'] }),
    makePassed('behind', { dependencies: ['on-requeued'], cohesion_group: 'other', priority: 1 }),
    makePassed('on-unjudged', { dependencies: ['unjudged'] }),
    makePassed('on-unknown', { dependencies: ['nowhere'] }),
  ];
  assert.equal(group(tasks), {
    changesets: [
      {
        group: 'main',
        tasks: ['on-landed'],
        missing: ['on-requeued', 'on-unjudged', 'on-unknown', 'requeued', 'unjudged'],
        dependsOn: [],
      },
    ],
    waiting: [
      'on-requeued needs requeued, which is requeued',
      'behind needs on-requeued, which is waiting itself',
      'on-unjudged needs unjudged, which has no verdict yet',
      "on-unknown needs nowhere, which doesn't exist",
    ],
  });
});

test('what waits does not depend on the order of the tasks', () => {
  const tasks = [
    makePassed('a', { dependencies: ['b'] }),
    makePassed('b', { dependencies: ['c'] }),
    makePassed('c', { dependencies: ['z'] }),
    makeTask('z', { status: 'blocked' }),
  ];
  const expected = {
    changesets: [],
    waiting: [
      'c needs z, which is blocked',
      'b needs c, which is waiting itself',
      'a needs b, which is waiting itself',
    ],
  };
  assert.equal(group(tasks), expected);
  assert.equal(group([...tasks].reverse()), expected);
});

test('VAL-7 nothing passed, no changeset', () => {
  assert.equal(group([makeTask('a', { status: 'failed' }), makeTask('b')]), { changesets: [], waiting: [] });
});

test.run();
