import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { summarizeSessionCounts } from '../../../lib/core/changesets/reopen-session.ts';
import { taskStatuses } from '../../../lib/domain/state/task-facts.ts';
import { makeTask } from '../../support/tasks.ts';

test('MRG-7 counts what landed and where the tasks stand', () => {
  const tasks = taskStatuses.flatMap((status, index) =>
    Array.from({ length: index + 1 }, (_, copy) => makeTask(`${status}-${copy}`, { status })),
  );
  const changesets = [{ state: 'landed' }, { state: 'landed' }, { state: 'approved' }, { state: 'rejected' }] as const;
  assert.equal(summarizeSessionCounts(tasks, changesets), {
    approved: 2,
    requeued: 6,
    blocked: 5,
    open: 1 + 2 + 3,
    failed: 4,
    merged: 7,
  });
});

test('an empty session has nothing', () => {
  assert.equal(Object.values(summarizeSessionCounts([], [])), [0, 0, 0, 0, 0, 0]);
});

test.run();
