import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { selectNotesForTask } from '../../../lib/core/blackboard/notes-for-task.ts';
import { parseTaskId } from '../../../lib/domain/ids.ts';
import { type BlackboardNote, type BlackboardPage, makeBlackboardNote } from '../../../lib/domain/state/blackboard.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { makeTask, testSession } from '../../support/tasks.ts';

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

const said = (task: Task, others: readonly Task[], pages: readonly BlackboardPage[] = []): readonly string[] =>
  selectNotesForTask(task, { tasks: [task, ...others], pages }).words.map(
    ({ from, text }) => `${from.split(' (')[0]}: ${text}`,
  );

const note = (text: string, more: Partial<BlackboardNote> = {}): BlackboardNote =>
  makeBlackboardNote({
    ...{ text, by: 'worker-00000001', at: at(2), place: 'here', tasks: [], paths: [] },
    ...more,
  });

const page = (task: string | null, notes: readonly BlackboardNote[]): BlackboardPage => ({
  ...{ v: 1, rev: 1, session: testSession, notes: [...notes] },
  task: task === null ? null : parseTaskId(task),
});

test('QUE-3 a task hears those it needs, nearest first, then those on its paths or in its group, and nobody else', () => {
  const others = [
    done('far', 'from afar', { dependencies: [] }),
    done('near', 'from near', { dependencies: ['far'] }),
    done('beside', 'same path', { file_locks: ['src/a.ts'] }),
    done('mate', 'same group', { cohesion_group: 'own', file_locks: ['docs/x.md'] }),
    done('stranger', 'nothing to do with it'),
  ];
  const task = mine({ dependencies: ['near'] });
  assert.equal(said(task, others), ['near: from near', 'far: from afar', 'beside: same path', 'mate: same group']);
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
  const { words, leftOut } = selectNotesForTask(task, { tasks: [task, ...needs], pages: [] });
  assert.is(words.length + leftOut, 12);
  assert.ok(words.reduce((sum, { text }) => sum + text.length, 0) <= 6_000);
  const [a, b] = [done('a', 'A', { dependencies: ['b'] }), done('b', 'B', { dependencies: ['a'] })];
  assert.equal(said(mine({ dependencies: ['a'] }), [a, b]), ['a: A', 'b: B']);
});

test('QUE-3 notes on purpose take the place of last words, as far as the attempt that left them counts', () => {
  const need = done('need', 'last words');
  const task = mine({ dependencies: ['need'] });
  assert.equal(said(task, [need], [page('need', [note('first'), note('second')])]), ['need: second', 'need: first']);
  const other = page('need', [note('of a rejected attempt', { by: 'worker-00000002' })]);
  assert.equal(said(task, [need], [other]), ['need: last words']);
  const open = makeTask('need', { status: 'pending', history: need.history });
  assert.equal(said(task, [open], [page('need', [note('void')])]), []);
});

test('QUE-3 who leads is heard first: by name, then by path, then for all, of each the newest first', () => {
  const task = mine();
  const lead = page(null, [
    note('for all', { by: 'Lea', at: at(1) }),
    note('for all, later', { by: 'Lea', at: at(3) }),
    note('its path', { by: 'Lea', paths: ['src/a.ts'] }),
    note('its name', { by: 'Lea', tasks: [parseTaskId('mine')] }),
    note('another name', { by: 'Lea', tasks: [parseTaskId('other')] }),
    note('another path', { by: 'Lea', paths: ['docs/'] }),
  ]);
  assert.equal(
    said(task, [done('mate', 'last', { cohesion_group: 'own' })], [lead]).map((line) => line.split(': ')[1]),
    ['its name', 'its path', 'for all, later', 'for all', 'last'],
  );
});

test.run();
