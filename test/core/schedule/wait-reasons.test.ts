import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listWaitReasons } from '../../../lib/core/schedule/wait-reasons.ts';
import { makeTask } from '../../support/tasks.ts';

const now = Date.parse('2026-02-06T14:30:00.000Z');
const options = { limit: 8, now };

test('why a task is not worked on: what it needs, its backoff, a lock, no free agent', () => {
  const running = makeTask('a', { status: 'claimed', file_locks: ['src/'] });
  const waiting = makeTask('b', { dependencies: ['a', 'gone'], file_locks: ['b.txt'] });
  const later = makeTask('c', { not_before: '2026-02-06T14:30:05.000Z', file_locks: ['c.txt'] });
  const locked = makeTask('d', { file_locks: ['src/d.txt'] });
  const free = makeTask('e', { file_locks: ['e.txt'] });
  const tasks = [running, waiting, later, locked, free];
  const reasons = (task: (typeof tasks)[number], limit = 8): readonly string[] =>
    listWaitReasons(task, tasks, { ...options, limit });
  assert.equal(reasons(waiting), ['its dependency a is claimed', 'its dependency gone is missing']);
  assert.equal(reasons(later), ['its next attempt starts in 5 s']);
  assert.match(reasons(locked)[0] ?? '', 'src/');
  assert.equal(reasons(free), []);
  assert.match(reasons(free, 1)[0] ?? '', 'no agent is free');
  assert.equal(reasons(running), []);
});

test.run();
