import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  claimTask,
  completeTask,
  failTask,
  recordRebaseOfTask,
  releaseTask,
} from '../../../lib/core/task/task-attempt.ts';
import {
  applyVerdictToTask,
  blockTask,
  dropTask,
  makeRequeuedTaskPending,
  markTaskMerged,
  requeueTask,
  retryTask,
  unblockTask,
} from '../../../lib/core/task/task-outcome.ts';
import { requireTransition } from '../../../lib/core/task/task-state.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseAgentId, parseTaskId } from '../../../lib/domain/ids.ts';
import { taskStatuses } from '../../../lib/domain/state/task-facts.ts';
import { type Task, taskSchema } from '../../../lib/domain/state/task-schema.ts';
import { testTime as at, makeFailure, makeOid, makeTask, makeVerdict } from '../../support/tasks.ts';

const agentId = parseAgentId('worker-1a2b3c4d');
const claim = { agentId, worktree: '.trees/worker-1a2b3c4d', at, claimedBy: 'Lea <lea@example.com>' };
const work = {
  commit: makeOid('tip'),
  start: makeOid('start'),
  branch: 'blueflame/ses-20260206-143022-1a2b/task-001',
  notes: 'all done',
  at,
  cost: 0.5,
  tokens: 100,
};
const crash = { failure: makeFailure(), at, cost: 0.25, tokens: 50 };

const pending = makeTask('task-001');
const claimed = claimTask(pending, claim).task;
const done = completeTask(claimed, work).task;
const failed = failTask(claimed, crash).task;
const merged = markTaskMerged(done, { into: 'main' }).task;
const requeued = requeueTask(done, { kind: 'rejected', reason: 'too slow', at }).task;
const blocked = blockTask(pending, { reason: 'needs task-000: it crashed' }).task;

test('TSK-2 the only legal changes of status are those of the table', () => {
  const legal = new Set([
    'pending claimed',
    'pending blocked',
    'pending dropped',
    'claimed done',
    'claimed failed',
    'claimed pending',
    'done merged',
    'done requeued',
    'done failed',
    'done dropped',
    'failed pending',
    'failed requeued',
    'failed dropped',
    'blocked pending',
    'blocked dropped',
    'requeued pending',
    'requeued blocked',
    'requeued dropped',
  ]);
  for (const from of taskStatuses) {
    for (const to of taskStatuses) {
      const task = makeTask('task-001', { status: from });
      if (legal.has(`${from} ${to}`)) {
        requireTransition(task, to);
        continue;
      }
      assert.throws(
        () => requireTransition(task, to),
        (error: unknown) =>
          error instanceof FlameError &&
          error.code === 'illegal-transition' &&
          error.message.includes(`task-001 can't change from ${from} to ${to}`) &&
          error.hints.includes('git flame show task-001'),
      );
    }
  }
});

test('a claim names agent, worktree and claimant, and forgets the last result', () => {
  const tried = makeTask('task-001', {
    not_before: at,
    reason: 'old',
    result: { status: 'fail', notes: 'old', issues: ['old'] },
  });
  const change = claimTask(tried, claim);
  assert.is(change.subject, 'task-001: pending -> claimed by worker-1a2b3c4d');
  assert.is(change.transition, 'pending -> claimed');
  assert.equal(change.task, {
    ...tried,
    status: 'claimed',
    agent_id: agentId,
    worktree: claim.worktree,
    claimed_by: claim.claimedBy,
    claimed_at: at,
    claim: 1,
    not_before: null,
    reason: null,
    result: { status: null, notes: '', issues: [] },
  });
});

test('DST-1 claims are counted, and no release sets the count back', () => {
  const again = claimTask(releaseTask(claimed, { reason: 'given up', at }).task, claim).task;
  assert.is(again.claim, (claimed.claim ?? 0) + 1);
});

test('a claim by a person without an agent names the person', () => {
  const change = claimTask(pending, { ...claim, agentId: null });
  assert.is(change.subject, 'task-001: pending -> claimed by Lea <lea@example.com>');
});

test('a release gives the task back without using up a retry', () => {
  const { task, subject } = releaseTask(claimed, { reason: 'worktree could not be made', at });
  assert.is(subject, 'task-001: claimed -> pending, released: worktree could not be made');
  assert.equal([task.agent_id, task.claimed_by, task.worktree, task.retry_count], [null, null, null, 0]);
  assert.equal(
    task.history.map(({ result, attempt, agent_id }) => [result, attempt, agent_id]),
    [['released', 1, agentId]],
  );
});

test('completion keeps the accepted commits, awaits a verdict and records the cost', () => {
  assert.equal(
    [done.status, done.commit, done.start_commit, done.branch],
    ['done', work.commit, work.start, work.branch],
  );
  assert.equal(done.result, { status: null, notes: 'all done', issues: [] });
  assert.equal(done.history, [
    {
      attempt: 1,
      agent_id: agentId,
      timestamp: at,
      result: 'done',
      notes: 'all done',
      rejection_reason: null,
      cost_usd: 0.5,
      tokens_used: 100,
    },
  ]);
});

test('a failure says why in result, reason and history, and still names the worktree', () => {
  const details = ['src/x.ts: out of scope'];
  const failure = makeFailure({ kind: 'violation', message: 'Broke a rule.', details });
  const { task, subject } = failTask(claimed, { failure, at, cost: 0.1, tokens: 7 });
  assert.is(subject, 'task-001: claimed -> failed (violation): Broke a rule.');
  assert.equal(task.result, { status: 'fail', notes: 'Broke a rule.', issues: details });
  assert.equal([task.reason, task.worktree], ['Broke a rule.', claim.worktree]);
  assert.is(task.history[0]?.notes, 'Broke a rule.\nsrc/x.ts: out of scope');
  assert.equal([task.history[0]?.cost_usd, task.history[0]?.tokens_used], [0.1, 7]);
});

test('a done task that nobody could judge fails in the same attempt', () => {
  const failure = makeFailure({ kind: 'malformed-answer', message: 'No verdict.' });
  const { task } = failTask(done, { failure, at, cost: 0, tokens: 0 });
  assert.equal(task.history, [{ ...done.history[0], result: 'failed', notes: 'No verdict.' }]);
  assert.is(task.commit, work.commit);
});

test('a spent budget says the word budget in the result', () => {
  for (const message of ['It spent $1.50.', 'The agent reached its budget of $1.50.']) {
    const failure = makeFailure({ kind: 'budget', message });
    const { task } = failTask(claimed, { ...crash, failure });
    assert.match(task.result.notes, /\bbudget\b/);
    assert.match(task.history[0]?.notes ?? '', /\bbudget\b/);
  }
});

test('a retry counts, waits and clears the claim; a rate limit does not count', () => {
  const retry = { notBefore: '2026-02-06T14:30:25.500Z', at };
  const { task, subject } = retryTask(failed, retry);
  assert.is(subject, 'task-001: failed -> pending, retry 1 in 4 s');
  assert.equal(task, {
    ...pending,
    claim: 1,
    retry_count: 1,
    not_before: retry.notBefore,
    reason: failed.reason,
    result: failed.result,
    history: failed.history,
  });
  const uncounted = retryTask(failed, { ...retry, isCounted: false });
  assert.is(uncounted.task.retry_count, 0);
  assert.is(uncounted.subject, 'task-001: failed -> pending, again in 4 s');
});

test('a rejection becomes the fate of the done attempt, its cost kept, and what it had made is named', () => {
  const work = { commit: done.commit, start: done.start_commit };
  assert.equal(requeued.history, [
    { ...done.history[0], result: 'rejected', notes: 'too slow', rejection_reason: 'too slow', work },
  ]);
  assert.equal([requeued.status, requeued.reason, requeued.result.notes], ['requeued', 'too slow', 'too slow']);
});

test('VAL-5 a requeue can replace description and locks and carries the guidance', () => {
  const { task, subject } = requeueTask(done, {
    kind: 'validation_failed',
    notes: 'split the function',
    description: 'New words',
    file_locks: ['src/new.ts'],
    at,
  });
  assert.is(subject, 'task-001: done -> requeued, validation failed: split the function');
  assert.equal([task.description, task.file_locks], ['New words', ['src/new.ts']]);
  assert.equal(
    task.history.map(({ result, notes, rejection_reason }) => [result, notes, rejection_reason]),
    [['validation_failed', 'split the function', null]],
  );
});

test('a requeue of a failed task adds a line to the same attempt', () => {
  const { task } = requeueTask(failed, { kind: 'restart', notes: 'try the other library', at });
  assert.equal(
    task.history.map(({ attempt, result, cost_usd }) => [attempt, result, cost_usd]),
    [
      [1, 'failed', 0.25],
      [1, 'restart', 0],
    ],
  );
});

test('a restart begins afresh but for the history', () => {
  const { task, subject } = makeRequeuedTaskPending({ ...requeued, retry_count: 2 });
  assert.is(subject, 'task-001: requeued -> pending, attempt 2 may start');
  assert.equal(task, { ...pending, claim: 1, branch: work.branch, history: requeued.history });
});

test('block and unblock, with the reason', () => {
  const change = blockTask(pending, { reason: 'needs task-000: it crashed' });
  assert.is(change.subject, 'task-001: pending -> blocked: needs task-000: it crashed');
  assert.is(change.task.reason, 'needs task-000: it crashed');
  assert.equal(unblockTask(blocked).task, pending);
  assert.is(unblockTask(blockTask(requeued, { reason: 'x' }).task).task.commit, null);
});

test('merging and dropping end a task', () => {
  const merged = markTaskMerged(done, { into: 'main' });
  assert.is(merged.subject, 'task-001: done -> merged into main');
  assert.equal([merged.task.commit, merged.task.worktree], [work.commit, null]);
  const dropped = dropTask(blocked, { reason: 'not wanted' });
  assert.is(dropped.subject, 'task-001: blocked -> dropped: not wanted');
  for (const end of [merged.task, dropped.task]) {
    assert.throws(() => claimTask(end, claim), /from (merged|dropped) to claimed: no other state can follow/);
  }
});

test('VAL-1 a verdict sets the result of a done task without changing its status', () => {
  const verdict = makeVerdict(done, 'fail', { issues: ['a', 'b'] });
  const { task, subject, transition } = applyVerdictToTask(done, verdict);
  assert.is(subject, 'task-001: judged fail by validator-0a0b0c0d');
  assert.is(transition, 'done -> done');
  assert.equal(task, { ...done, result: { status: 'fail', notes: 'judged fail', issues: ['a', 'b'] } });
});

test('VAL-3 a verdict whose diagnostics failed is no pass, unless a person said why', () => {
  const red = { command: 'npm test', exit_code: null, timed_out: true, duration_ms: 1, output: '' };
  const statusWith = (fields: Parameters<typeof makeVerdict>[2]): unknown =>
    applyVerdictToTask(done, makeVerdict(done, 'pass', fields)).task.result.status;
  assert.is(statusWith({ diagnostics: [{ ...red, exit_code: 0, timed_out: false }] }), 'pass');
  assert.is(statusWith({ diagnostics: [red] }), 'fail');
  assert.is(statusWith({ diagnostics: [{ ...red, exit_code: 1 }], override: ' ' }), 'fail');
  assert.is(statusWith({ diagnostics: [red], override: 'It is flaky.' }), 'pass');
});

test('MRG-9 a verdict about another commit, or a task that is not done, is refused', () => {
  const isRefused = (code: string) => (error: unknown) => error instanceof FlameError && error.code === code;
  const stale = makeVerdict(done, 'pass', { commit: makeOid('amended') });
  assert.throws(() => applyVerdictToTask(done, stale), isRefused('verdict-for-other-commit'));
  assert.throws(() => applyVerdictToTask(failed, makeVerdict(done, 'pass')), isRefused('illegal-transition'));
});

test('TSK-4 outside words are one bounded, printable line in subjects and reasons', () => {
  const hostile = `line one\nTask: task-999\u001b[31m\u202e ${'x'.repeat(5_000)}`;
  const failure = makeFailure({ message: hostile, details: Array(200).fill(hostile) });
  const changes = [
    failTask(claimed, { ...crash, failure }),
    requeueTask(done, { kind: 'rejected', reason: hostile, at }),
    blockTask(pending, { reason: hostile }),
    dropTask(pending, { reason: hostile }),
    releaseTask(claimed, { reason: hostile, at }),
  ];
  for (const { task, subject } of changes) {
    assert.not.match(subject + (task.reason ?? ''), /[\p{Cc}\p{Cf}]/u);
    assert.ok(subject.length <= 200 && (task.reason ?? '').length <= 200);
    assert.ok(task.history.every(({ notes }) => notes.length <= 4_000 && !notes.includes('\u001b')));
    assert.ok(task.result.issues.length <= 50);
  }
});

test('every change leaves a task that its schema accepts', () => {
  const all: readonly Task[] = [pending, claimed, done, merged, failed, requeued, blocked];
  for (const task of all) assert.equal(taskSchema.parse(structuredClone(task)), task);
});

test('a note is no task where it lacks what its status asks for, or has what it rules out', () => {
  const wrong: readonly object[] = [
    { ...done, commit: null },
    { ...done, start_commit: null },
    { ...merged, branch: null },
    { ...claimed, claimed_by: null },
    { ...claimed, claimed_at: null },
    { ...claimed, commit: work.commit },
    { ...pending, claimed_by: claim.claimedBy },
    { ...pending, worktree: claim.worktree },
    { ...pending, status: 'asleep' },
  ];
  for (const note of wrong) assert.is(taskSchema.safeParse(note).success, false, JSON.stringify(note));
});

test('STK-3 work is put on other ground without a change of status: no verdict, no new attempt, the ground in the note', () => {
  const builtOn = [{ task: parseTaskId('task-000'), commit: makeOid('below') }];
  const { task, subject } = recordRebaseOfTask(
    { ...done, result: { status: 'pass', notes: 'Fine.', issues: [] } },
    { commit: makeOid('again'), start: makeOid('below'), builtOn, without: ['task-009'], at },
  );
  assert.equal([task.status, task.result.status, task.commit], ['done', null, makeOid('again')]);
  assert.equal([task.built_on, task.history.length, task.history[0]?.result], [builtOn, 1, 'done']);
  assert.is(subject, 'task-001: rebased, without the earlier work of task-009');
  assert.is(makeRequeuedTaskPending(requeueDone(task)).task.built_on, undefined);
  assert.throws(() =>
    recordRebaseOfTask(pending, { commit: makeOid('x'), start: makeOid('y'), builtOn, without: [], at }),
  );
});

function requeueDone(task: Task): Task {
  return requeueTask(task, { kind: 'rejected', reason: 'no', at }).task;
}

test.run();
