import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listSessionChanges, listTaskChanges } from '../../../lib/core/merge/incoming-changes.ts';
import type { ObjectId } from '../../../lib/domain/ids.ts';
import { sampleSession } from '../../store/sample.ts';
import { alterTask, makeTask } from '../../support/tasks.ts';

const named = (changes: ReturnType<typeof listSessionChanges>): readonly string[] =>
  changes.map(({ what, from, to }) => `${what}: ${from} -> ${to}`);

test('TRU-2 where a session is built and lands, and by which rules, is named when it changes', () => {
  const before = sampleSession();
  const after = { ...before, base_branch: 'other', config_digest: 'sha256:other' };
  assert.equal(named(listSessionChanges(before, after)), [
    `lands on: ${before.base_branch} -> other`,
    `base branch: ${before.base_branch} -> other`,
    `configuration: ${before.config_digest} -> sha256:other`,
  ]);
});

test('a note that is as it was names nothing, a task says where it stands and what was planned', () => {
  const task = makeTask('task-001', {});
  assert.equal(listTaskChanges(task, { ...task, rev: task.rev + 1 }), []);
  assert.equal(named(listTaskChanges(task, { ...task, status: 'blocked', priority: task.priority + 1 })), [
    'status: pending -> blocked',
    `priority: ${task.priority} -> ${task.priority + 1}`,
  ]);
});

test('TRU-2 what a next attempt starts from and where its work lies is named when it changes', () => {
  const task = makeTask('task-001', { branch: 'blueflame/x/task-001' });
  const kept = { commit: 'a'.repeat(40) as ObjectId, start: 'b'.repeat(40) as ObjectId };
  const after = { ...task, kept, branch: 'main', worktree: null };
  assert.equal(named(listTaskChanges(task, after)), [
    'kept: null -> aaaaaaaaaa on bbbbbbbbbb',
    'branch: blueflame/x/task-001 -> main',
  ]);
  const claimed = makeTask('task-001', { status: 'claimed', worktree: '/one' });
  assert.equal(named(listTaskChanges(claimed, alterTask(claimed, { worktree: '/two' }))), ['worktree: /one -> /two']);
});

test.run();
