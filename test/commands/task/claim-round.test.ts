import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimTasksInOrder, refuseIdsBeforeFirstClaim } from '../../../lib/commands/task/task-claim-from-stdin.ts';
import { sampleSession } from '../../store/sample.ts';
import { makeTask } from '../../support/tasks.ts';

const session = sampleSession();
const claimer = {
  person: 'Lea Lead <lea@example.com>',
  place: 'here',
  most: 2,
};

test('a round claims so many at most, answers those before in order, and each claim heeds the ones before it', () => {
  const tasks = [
    makeTask('task-a'),
    makeTask('task-b', { file_locks: ['src/task-a.ts'] }),
    makeTask('task-c'),
    makeTask('task-d'),
  ];
  const ids = ['task-a', 'task-b', 'none', 'task-a', 'task-c', 'task-d'];
  const { answers, changes, accepted } = claimTasksInOrder(ids, { session, tasks }, claimer);
  assert.equal(
    answers.map(({ id, claimed }) => [id, claimed]),
    [
      ['task-a', true],
      ['task-b', false],
      ['none', false],
      ['task-a', false],
      ['task-c', true],
    ],
  );
  assert.match(`${answers[1]?.reason}`, /shares src\/task-a.ts with task-a/);
  assert.is(changes.length, 2);
  assert.is(new Set(accepted.map(({ about }) => about)).size, 2);
});

test('what others hold is refused up to the first task that is free', () => {
  const held = {
    status: 'claimed',
    claimed_by: 'x <x@y.z>',
    claimed_at: '2026-02-06T14:30:22.000Z',
  } as const;
  const tasks = [makeTask('task-a', held), makeTask('task-b'), makeTask('task-c', held)];
  assert.equal(
    refuseIdsBeforeFirstClaim(['task-a', 'none', 'task-b', 'task-c'], tasks).map(({ id }) => id),
    ['task-a', 'none'],
  );
});

test('a session that had ended is opened once', () => {
  const ended = sampleSession(session.id, { state: 'ended', wave: 'done' });
  const tasks = [makeTask('task-a'), makeTask('task-b')];
  const { changes } = claimTasksInOrder(['task-a', 'task-b'], { session: ended, tasks }, claimer);
  assert.is(changes.filter((change) => change.session !== undefined).length, 1);
});

test.run();
