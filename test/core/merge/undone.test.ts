import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listTaskChanges } from '../../../lib/core/merge/incoming-changes.ts';
import { keepTaskEnd } from '../../../lib/core/merge/keep-ended-state.ts';
import { mergeTaskNotes } from '../../../lib/core/merge/merge-task-notes.ts';
import { takeBackTaskLanding } from '../../../lib/core/task/take-back-task.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { alterTask, makeOid, makeTask, testTime } from '../../support/tasks.ts';

// LND-1 between clones: a landing that was taken back stays so, and no other way leads out of what has landed.

const work = { branch: 'blueflame/x/task-001', commit: makeOid('work'), start_commit: makeOid('start') };
const merged = makeTask('task-001', { status: 'merged', ...work });
const undone = takeBackTaskLanding(merged, { follow: 'requeue', notes: 'slow', keep: false }, testTime).task;

test('LND-1 who syncs the landing of before does not bring it back', () => {
  const later: Task = { ...merged, title: 'Another title', rev: merged.rev + 5 };
  for (const both of [mergeTaskNotes(merged, undone, later), mergeTaskNotes(merged, later, undone)])
    assert.equal([both.value.status, both.value.undone, both.value.title], ['requeued', 1, 'Another title']);
  assert.is(mergeTaskNotes(null, undone, { ...merged, rev: undone.rev }).value.status, 'requeued');
  assert.is(keepTaskEnd(undone, merged).value.status, 'requeued');
  assert.is(keepTaskEnd(undone, merged).value.undone, 1);
});

test('LND-1 an end that was taken back is let go, one that is just left out is not', () => {
  assert.is(keepTaskEnd(merged, undone).value, undone);
  const { undone: _, ...unsaid } = undone;
  assert.is(keepTaskEnd(merged, unsaid).value.status, 'merged');
  const again = alterTask(undone, { status: 'merged', ...work });
  assert.is(keepTaskEnd(again, undone).value.status, 'merged');
  assert.is(keepTaskEnd(undone, again).value.status, 'merged');
});

test('LND-1 what a task that came by sync takes back is named', () => {
  const back = { changeset: '1-docs', follow: 'drop', notes: 'no', keep: false } as const;
  assert.equal(
    listTaskChanges(merged, { ...merged, takes_back: back }).map(({ what, to }) => [what, to]),
    [['takes back', '1-docs, drop: no']],
  );
});

test('LND-1 only what has landed can be taken back', () => {
  const done = makeTask('task-001', { status: 'done', ...work });
  assert.throws(
    () => takeBackTaskLanding(done, { follow: 'drop', notes: 'no', keep: false }, testTime),
    (error: unknown) => error instanceof FlameError && error.code === 'illegal-transition',
  );
});

test.run();
