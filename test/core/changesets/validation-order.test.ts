import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listTasksToValidate } from '../../../lib/core/changesets/cohesion-groups.ts';
import { makePassed, makeTask } from '../../support/tasks.ts';

test('VAL-1 done tasks without a verdict: groups in dependency order, by priority in each', () => {
  const tasks = [
    makeTask('1', { status: 'done', cohesion_group: 'api', priority: 1, dependencies: ['4'] }),
    makeTask('2', { status: 'done', cohesion_group: 'auth', priority: 8 }),
    makeTask('3', { status: 'done', cohesion_group: 'auth', priority: 7 }),
    makePassed('4', { cohesion_group: 'auth' }),
    makeTask('5', { status: 'pending', cohesion_group: 'auth' }),
    makeTask('6', { status: 'done', cohesion_group: 'zoo', priority: 2 }),
  ];
  assert.equal(
    listTasksToValidate(tasks).map(({ id }) => id as string),
    ['6', '3', '2', '1'],
  );
});

test('nothing done, nothing to validate', () => {
  assert.equal(listTasksToValidate([makeTask('a'), makePassed('b')]), []);
});

test.run();
