import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toTaskStateDecision } from '../../../lib/core/admission/make-decisions.ts';
import { mergeTaskNotes } from '../../../lib/core/merge/merge-task-notes.ts';
import { listMergeableTasks } from '../../../lib/core/schedule/next-action.ts';
import { listWorkToBuildOn } from '../../../lib/core/schedule/work-to-build-on.ts';
import { listTasksToRebase, readStackState } from '../../../lib/core/task/stack-state.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { canonicalDigest } from '../../../lib/util/canonical-digest.ts';
import { makeOid, makePassed, makeTask } from '../../support/tasks.ts';

const locks = { file_locks: ['src/price.ts'] };
const on = (id: string): Pick<Task, 'built_on'> => ({
  built_on: [{ task: makeTask(id).id, commit: makeOid(id) }],
});
const failed = { status: 'fail' as const, notes: '', issues: [] };

function below(task: Task, tasks: readonly Task[], overlap: 'build-on' | 'separate' = 'build-on') {
  return listWorkToBuildOn(task, [task, ...tasks], overlap).map(({ task: id, lock }) => `${id} ${lock}`);
}

test('STK-1 a task is built on accepted work with overlapping locks, whatever its group', () => {
  const tasks = [
    makePassed('done', { ...locks, cohesion_group: 'other' }),
    makeTask('unjudged', { ...locks, status: 'done' }),
    makePassed('folder', { file_locks: ['src/'] }),
    makePassed('glob', { file_locks: ['**/*.ts'] }),
    makePassed('apart', { file_locks: ['docs/'] }),
    makePassed('needed', { file_locks: ['docs/'] }),
    makeTask('merged', { ...locks, status: 'merged' }),
    makeTask('claimed', { ...locks, status: 'claimed' }),
    makeTask('requeued', { ...locks, status: 'requeued', commit: makeOid('requeued') }),
    makePassed('red', { ...locks, result: failed }),
  ];
  const task = makeTask('next', { ...locks, dependencies: ['needed'] });
  assert.equal(below(task, tasks), [
    'needed null',
    'done src/price.ts',
    'folder src/price.ts',
    'glob src/price.ts',
    'unjudged src/price.ts',
  ]);
  assert.equal(below(task, tasks, 'separate'), ['needed null']);
});

test('STK-3 nothing is built on work that lost its ground, or on what stands on the task itself', () => {
  const tasks = [
    makeTask('gone', { ...locks, status: 'requeued', commit: makeOid('gone') }),
    makePassed('lost', { ...locks, ...on('gone') }),
    makePassed('above', { ...locks, ...on('next') }),
    makePassed('higher', { ...locks, ...on('above') }),
  ];
  assert.equal(below(makePassed('next', locks), tasks), []);
});

test('STK-3 ground is lost with a task that left, or whose work is another commit; not with one that landed or is unknown', () => {
  const stand = makePassed('on-landed', on('landed'));
  const tasks = [
    makeTask('landed', { status: 'merged', commit: makeOid('landed') }),
    makePassed('moved', { commit: makeOid('elsewhere') }),
    makeTask('dropped', { status: 'dropped', commit: makeOid('dropped') }),
    stand,
    makePassed('on-moved', on('moved')),
    makePassed('on-dropped', on('dropped')),
    makePassed('on-unknown', on('unknown')),
    makeTask('sent-back', { status: 'requeued', ...on('dropped') }),
  ];
  assert.equal(
    listTasksToRebase(tasks).map(({ id }) => id as string),
    ['on-moved', 'on-dropped'],
  );
  assert.equal(readStackState(tasks).lost(stand), []);
});

test('STK-1 what was built on work that was only received is neither taken apart nor merged before it is accepted', () => {
  const tasks = [makePassed('alone'), makePassed('on-received', on('received'))];
  assert.equal(listTasksToRebase(tasks), []);
  assert.equal(
    listMergeableTasks(tasks, []).map(({ id }) => id as string),
    ['alone'],
  );
});

test('STK-3 what lost its ground is validated again before anything is merged, also where all was passed', () => {
  const tasks = [makeTask('gone', { status: 'dropped' }), makePassed('on-gone', on('gone'))];
  assert.equal(listMergeableTasks(tasks, []), []);
});

test('TRU-2 what a task was built on is part of how it stands: a forged one is another task', () => {
  const task = makePassed('a');
  const digest = (one: Task): string => canonicalDigest(toTaskStateDecision(one));
  assert.is.not(digest({ ...task, ...on('forged') }), digest(task));
  assert.is.not(digest({ ...task, ...on('forged') }), digest({ ...task, ...on('other') }));
});

test('STK-1 of two clones the one whose change to the task is kept says what it was built on, whole', () => {
  const base = makeTask('a');
  const ours = makePassed('a', { rev: 3, ...on('here'), commit: makeOid('ours') });
  const theirs = makeTask('a', { rev: 2, status: 'claimed', ...on('there') });
  for (const merged of [mergeTaskNotes(base, ours, theirs), mergeTaskNotes(base, theirs, ours)])
    assert.equal(merged.value.built_on, on('here').built_on);
});

test.run();
