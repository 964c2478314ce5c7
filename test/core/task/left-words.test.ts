import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { leftWords } from '../../../lib/core/task/left-words.ts';
import type { Task } from '../../../lib/domain/state/task.ts';
import { makeTask } from '../../support/tasks.ts';

const at = (minute: number): string => `2026-02-06T14:${String(minute).padStart(2, '0')}:00Z`;

type Fields = NonNullable<Parameters<typeof makeTask>[1]>;

function done(id: string, notes: string, more: Fields = {}): Task {
  const entry = {
    ...{ attempt: 1, agent_id: 'worker-00000001', timestamp: at(1), result: 'done', notes },
    ...{ rejection_reason: null, cost_usd: 0, tokens_used: 0 },
  };
  return makeTask(id, {
    status: 'merged',
    history: [entry],
    cohesion_group: `group-${id}`,
    file_locks: [`${id}.txt`],
    ...more,
  });
}

const mine = (more: Fields = {}): Task =>
  makeTask('mine', { status: 'pending', cohesion_group: 'own', file_locks: ['src/'], ...more });

const said = (task: Task, others: readonly Task[]): readonly string[] =>
  leftWords(task, [task, ...others]).words.map((word) => `${word.task}: ${word.text}`);

test('QUE-3 a task hears those it needs, nearest first, then those on its paths or in its group, and nobody else', () => {
  const others = [
    done('far', 'from afar', { dependencies: [] }),
    done('near', 'from near', { dependencies: ['far'] }),
    done('beside', 'same path', { file_locks: ['src/a.ts'] }),
    done('mate', 'same group', { cohesion_group: 'own', file_locks: ['docs/x.md'] }),
    done('stranger', 'nothing to do with it'),
  ];
  const task = mine({ dependencies: ['near'] });
  assert.equal(said(task, others), [
    'near: from near',
    'far: from afar',
    'beside: same path',
    'mate: same group',
  ]);
});

test('QUE-3 only accepted work speaks: what was rejected is void with its attempt', () => {
  const [base] = done('need', 'it exports hash()').history;
  assert.ok(base);
  const task = mine({ dependencies: ['need'] });
  const rejected = done('need', '', { status: 'pending', history: [{ ...base, result: 'rejected' }] });
  assert.equal(said(task, [rejected]), []);
  const failed = done('need', '', { status: 'failed', history: [{ ...base, result: 'failed' }] });
  assert.equal(said(task, [failed]), []);
  // The next attempt was accepted.
  const again = done('need', '', {
    history: [
      { ...base, result: 'rejected', notes: 'old' },
      { ...base, attempt: 2, notes: 'new' },
    ],
  });
  assert.equal(said(task, [again]), ['need: new']);
});

test('QUE-3 what is too much is cut and counted, and a circle of needs ends', () => {
  const needs = Array.from({ length: 12 }, (_, index) => done(`n-${index}`, `${index} `.repeat(5_000)));
  const task = mine({ dependencies: needs.map(({ id }) => `${id}`) });
  const { words, leftOut } = leftWords(task, [task, ...needs]);
  assert.is(words.length + leftOut, 12);
  assert.ok(words.reduce((sum, { text }) => sum + text.length, 0) <= 6_000);
  const [a, b] = [done('a', 'A', { dependencies: ['b'] }), done('b', 'B', { dependencies: ['a'] })];
  assert.equal(said(mine({ dependencies: ['a'] }), [a, b]), ['a: A', 'b: B']);
});

test.run();
