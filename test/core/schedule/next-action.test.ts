import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  chooseNextAction,
  listChangesetsOfCycle,
  listMergeableTasks,
  makeChangesetId,
} from '../../../lib/core/schedule/next-action.ts';
import { canAnyTaskStart } from '../../../lib/core/schedule/select-ready.ts';
import { parseAgentId } from '../../../lib/domain/ids.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { sampleSession } from '../../store/sample.ts';
import { makeOid, makePassed, makeTask } from '../../support/tasks.ts';

function makeChangeset(group: string, state: Changeset['state'], tasks: readonly Task[], cycle = 1): Changeset {
  return {
    id: `${cycle}-${group}`,
    group,
    tasks: tasks.map(({ id }) => id),
    works: [],
    missing: [],
    depends_on: [],
    state,
    base: makeOid('base'),
    parent: makeOid('base'),
    commit: makeOid(group),
    diffstat: { files: 1, insertions: 1, deletions: 0 },
    diagnostics: [],
    reason: null,
    decided_by: null,
    landed_commit: null,
  };
}

function next(tasks: readonly Task[], change: Partial<Session> = {}, maxCycles = 5): string {
  const state = { session: sampleSession(undefined, change), tasks, maxCycles };
  return chooseNextAction({ ...state, canStart: (all) => canAnyTaskStart(all, 8) }).kind;
}

const agent = parseAgentId('worker-1a2b3c4d');
const pending = makeTask('task-001');
const done = makeTask('task-001', { status: 'done', commit: makeOid('one') });
const failed = makeTask('task-001', {
  status: 'done',
  commit: makeOid('one'),
  result: { status: 'fail', notes: '', issues: [] },
});
const passed = makePassed('task-001');
const merged = makeTask('task-001', { status: 'merged' });

test('LIF-1 what was approved lands before other work is put on other ground, once all is decided', () => {
  const above = makePassed('task-002', {
    built_on: [{ task: pending.id, commit: makeOid('before') }],
  });
  const other = makePassed('task-003');
  const tasks = [passed, above, other];
  const approved = makeChangeset('other', 'approved', [other]);
  assert.is(next(tasks, { wave: 'review', changesets: [approved] }), 'review');
  const waiting = makeChangeset('one', 'waiting', [passed]);
  assert.is(next(tasks, { wave: 'review', changesets: [approved, waiting] }), 'validate');
  const itself = makeChangeset('above', 'approved', [above]);
  assert.is(next(tasks, { wave: 'review', changesets: [approved, itself] }), 'validate');
});

test('a session without an approved plan plans, an ended one ends', () => {
  assert.is(next([], { wave: 'plan', cycle: 0 }), 'plan');
  assert.is(next([pending], { state: 'ended' }), 'end');
});

test('work comes before validation, validation before merging, merging before review', () => {
  assert.is(next([pending, makePassed('task-002')]), 'work');
  assert.is(next([makeTask('task-001', { status: 'claimed', agent_id: agent })]), 'work');
  assert.is(next([done, makePassed('task-002')]), 'validate');
  assert.is(next([failed]), 'validate');
  assert.is(next([passed]), 'merge');
  assert.is(next([passed], { changesets: [makeChangeset('main', 'waiting', [passed])] }), 'review');
  assert.is(next([passed], { changesets: [makeChangeset('main', 'approved', [passed])] }), 'review');
});

test('a pending task whose dependency was sent back is no work of this cycle', () => {
  const requeued = makeTask('task-001', { status: 'requeued' });
  const dependent = makeTask('task-002', { dependencies: ['task-001'] });
  assert.is(next([requeued, dependent]), 'end-cycle');
  assert.is(next([requeued, dependent], {}, 1), 'end');
});

test('a skipped, rejected or deferred changeset is not built again in its cycle, but in the next', () => {
  for (const state of ['skipped', 'deferred'] as const) {
    const changesets = [makeChangeset('main', state, [passed])];
    assert.is(next([passed], { changesets }), 'end-cycle', state);
    assert.is(next([passed], { changesets, cycle: 2 }), 'merge', state);
  }
});

test('a void changeset is as if it had never been', () => {
  const changesets = [makeChangeset('main', 'void', [passed])];
  assert.equal(listChangesetsOfCycle(sampleSession(undefined, { changesets })), []);
  assert.is(next([passed], { changesets }), 'merge');
});

test('what builds upon a changeset that was not approved waits with it', () => {
  const dependent = makePassed('task-002', { dependencies: ['task-001'] });
  const held = [makeChangeset('main', 'skipped', [passed])];
  assert.equal(listMergeableTasks([passed, dependent], held), []);
  assert.equal(listMergeableTasks([merged, dependent], []), [dependent]);
});

test('a task with a pass whose dependency has none is not merged', () => {
  const dependent = makePassed('task-002', { dependencies: ['task-001'] });
  assert.equal(listMergeableTasks([done, dependent], []), []);
});

test('WFL-1 what a person works on holds back its locks and its group, and nothing else', () => {
  const held = makeTask('task-009', { status: 'claimed', claimed_by: 'Ann', cohesion_group: 'hers' });
  const remoteSession = makeTask('task-002', { file_locks: held.file_locks });
  assert.is(next([held, pending]), 'work');
  assert.is(next([held, remoteSession]), 'wait');
  assert.is(next([held, done]), 'validate');
  assert.is(next([held, passed]), 'merge');
  assert.is(next([held]), 'wait');
  const mate = makePassed('task-003', { cohesion_group: 'hers' });
  const dependent = makePassed('task-004', { dependencies: ['task-003'] });
  assert.equal(listMergeableTasks([held, passed, mate, dependent], []), [passed]);
  assert.is(next([held, mate, dependent]), 'wait');
});

test('WFL-1 those who work by hand count in the limit of how many work at once', () => {
  const held = makeTask('task-009', { status: 'claimed', claimed_by: 'Ann' });
  const state = { session: sampleSession(), tasks: [held, pending], maxCycles: 5 };
  assert.is(chooseNextAction({ ...state, canStart: (all) => canAnyTaskStart(all, 1) }).kind, 'wait');
  assert.is(chooseNextAction({ ...state, canStart: (all) => canAnyTaskStart(all, 2) }).kind, 'work');
});

test('tasks that come in later make a changeset of their own', () => {
  const session = (...states: Parameters<typeof makeChangeset>[1][]) =>
    sampleSession(undefined, { changesets: states.map((state) => makeChangeset('main', state, [passed])) });
  assert.is(makeChangesetId(session(), 'main'), '1-main');
  assert.is(makeChangesetId(session('landed'), 'main'), '1-main-2');
  assert.is(makeChangesetId(session('void'), 'main'), '1-main');
});

test('all settled is the end, and the reason counts what was lost', () => {
  const reason = (tasks: readonly Task[]): string => {
    const action = chooseNextAction({ session: sampleSession(), tasks, maxCycles: 1 });
    return action.kind === 'end' ? action.reason : action.kind;
  };
  assert.is(reason([merged, makeTask('task-002', { status: 'dropped' })]), 'all tasks are settled');
  const lost = [merged, makeTask('task-002', { status: 'failed' }), makeTask('task-003', { status: 'blocked' })];
  assert.is(reason(lost), '2 of 3 tasks failed or are blocked');
  assert.is(reason(lost.slice(1, 2)), 'its only task failed');
});

test('MRG-7 where nothing is open but not all was done, a person is asked while a cycle is left', () => {
  const lost = makeTask('task-002', { status: 'failed' });
  assert.is(next([merged, lost]), 'left-over');
  assert.is(next([makeTask('task-003', { status: 'blocked' })]), 'left-over');
  assert.is(next([merged, lost], { cycle: 5 }), 'end');
  assert.is(next([merged, makeTask('task-003', { status: 'dropped' })]), 'end');
  assert.is(next([lost, makeTask('task-003', { status: 'requeued' })]), 'end-cycle');
  assert.is(next([lost], { state: 'ended' }), 'end');
});

test('WRK-6: with no more agents wanted, what is done goes on; then a person is asked, also in the last cycle', () => {
  const session = sampleSession(undefined, { wave: 'work', cycle: 5 });
  const kind = (...tasks: readonly Task[]): string =>
    chooseNextAction({ session, tasks, maxCycles: 5, isWindingDown: true }).kind;
  const waiting = makeTask('b');
  assert.is(kind(makeTask('a', { status: 'claimed', agent_id: parseAgentId('worker-1a2b3c4d') }), waiting), 'work');
  assert.is(kind(makeTask('a', { status: 'done' }), waiting), 'validate');
  assert.is(kind(makePassed('a'), waiting), 'merge');
  assert.is(kind(makeTask('a', { status: 'merged' }), waiting), 'end-cycle');
  assert.is(kind(makeTask('a', { status: 'requeued' })), 'end');
});

test.run();
