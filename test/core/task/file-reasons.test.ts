import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { setChosenAttemptOfTask } from '../../../lib/core/task/attempt-records.ts';
import { completeTask, recordRebaseOfTask } from '../../../lib/core/task/task-attempt.ts';
import type { FileReason } from '../../../lib/domain/state/file-reason.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makeOid, makeTask } from '../../support/tasks.ts';

const at = '2026-01-01T00:00:00.000Z';
const [one, two] = [makeOid('one'), makeOid('two')];

function done(task: Task, reasons: readonly FileReason[], from?: typeof one): Task {
  const kept = from === undefined ? {} : { from };
  return completeTask(task, {
    commit: one,
    start: two,
    branch: 'b',
    notes: '',
    at,
    cost: 0,
    tokens: 0,
    reasons,
    ...kept,
  }).task;
}

const claimed = (fields: Parameters<typeof makeTask>[1] = {}): Task =>
  makeTask('a', { status: 'claimed', claimed_by: 'x', claimed_at: at, ...fields });
const said: readonly FileReason[] = [
  { path: 'a.ts', text: 'first' },
  { path: 'b.ts', text: 'second' },
];

test('RVW-1 what a worker says of its files stays with the task when its work is rebased', () => {
  const task = done(claimed(), said);
  assert.equal(task.reasons, said);
  const moved = recordRebaseOfTask(task, { commit: two, start: one, builtOn: [], without: ['b'], at }).task;
  assert.equal(moved.reasons, said);
});

test('RVW-1 work that continues kept work keeps what was said of the rest, other work none of it', () => {
  const before = claimed({ reasons: [...said] });
  const now = [{ path: 'b.ts', text: 'otherwise' }];
  assert.equal(done(before, now, makeOid('from')).reasons, [said[0], ...now]);
  assert.equal(done(before, now).reasons, now);
  assert.is('reasons' in done(before, []), false);
});

test('RVW-1 the reasons of the attempt that is chosen are those of the task', () => {
  const work = { commit: two, start: one, files: 1, lines: 1 };
  const base = {
    agent_id: 'w' as never,
    adapter: 'exec',
    model: null,
    ended: 'handed-in',
    notes: '',
    left: [],
    cost_usd: 0,
    tokens: 0,
    work,
  } as const;
  const task = done(claimed(), said);
  const tries = [
    { ...base, reasons: [...said], chosen: true as const },
    { ...base, reasons: [{ path: 'c.ts', text: 'mine' }] },
  ];
  const chosen = setChosenAttemptOfTask({ ...task, tries } as unknown as Task, 1, { by: 'Lea', at }).task;
  assert.equal(chosen.reasons, [{ path: 'c.ts', text: 'mine' }]);
});

test.run();
