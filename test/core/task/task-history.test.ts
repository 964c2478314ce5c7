import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { amendLatestDoneEntry, appendHistoryEntry, nextAttemptNumber } from '../../../lib/core/task/task-history.ts';
import { type HistoryEntry, historyEntrySchema } from '../../../lib/domain/state/task-schema.ts';
import { testTime } from '../../support/tasks.ts';

type NewEntry = Omit<HistoryEntry, 'attempt'>;

function entry(result: string, fields: Partial<NewEntry> = {}): NewEntry {
  return {
    agent_id: 'worker-1a2b3c4d',
    timestamp: testTime,
    result,
    notes: 'first line\nsecond line',
    rejection_reason: null,
    cost_usd: 0.25,
    tokens_used: 10,
    ...fields,
  };
}

function grow(count: number, make: (index: number) => NewEntry): HistoryEntry[] {
  let history: HistoryEntry[] = [];
  for (let index = 1; index <= count; index += 1) history = appendHistoryEntry(history, make(index));
  return history;
}

test('attempts are numbered from 1', () => {
  assert.is(nextAttemptNumber([]), 1);
  const history = grow(3, () => entry('failed'));
  assert.equal(
    history.map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  assert.is(nextAttemptNumber(history), 4);
});

test('TSK-3 the latest 5 stay whole, an older one becomes one line', () => {
  const history = grow(6, (index) => entry('failed', { notes: `why ${index}\nand where` }));
  assert.is(history.length, 6);
  const { result, notes, attempt } = history[0]!;
  assert.equal([result, notes, attempt], ['summary', 'failed: why 1 and where', 1]);
  assert.equal(
    history.slice(1).map((line) => line.notes),
    [2, 3, 4, 5, 6].map((index) => `why ${index}\nand where`),
  );
});

test('MRG-11: comments stay with the latest attempts, and go when an attempt becomes one line', () => {
  const comments = [{ path: 'a.ts', side: 'new' as const, line: 1, text: 'no', excerpt: '> 1 | a' }];
  const history = grow(6, () => entry('rejected', { comments }));
  assert.is(history[0]?.comments, undefined);
  assert.ok(history.slice(1).every((line) => line.comments?.[0]?.text === 'no'));
  for (const line of history) assert.equal(historyEntrySchema.parse(line), line);
});

test('TSK-3 hundreds of attempts stay bounded, every cost counted, old rejection reasons kept', () => {
  const history = grow(400, (index) =>
    entry(index % 3 === 0 ? 'rejected' : 'failed', {
      notes: 'y'.repeat(5_000),
      rejection_reason: index % 100 === 0 ? `reason ${index}` : null,
    }),
  );
  assert.is(history.length, 55);
  const lines = history.slice(0, 50);
  assert.ok(lines.every(({ result, notes }) => result === 'summary' && notes.length <= 160));
  assert.is(
    history.reduce((sum, line) => sum + line.cost_usd, 0),
    100,
  );
  assert.is(
    history.reduce((sum, line) => sum + line.tokens_used, 0),
    4_000,
  );
  const { attempt, notes, rejection_reason } = history[0]!;
  assert.equal([attempt, notes], [346, 'attempts up to 346']);
  assert.is(rejection_reason, 'reason 100 · reason 200 · reason 300');
  assert.equal([history.at(-1)?.attempt, history.at(-1)?.rejection_reason], [400, 'reason 400']);
  for (const line of history) assert.equal(historyEntrySchema.parse(line), line);
});

test('of very many rejection reasons the oldest give way', () => {
  const history = grow(500, (index) => entry('rejected', { rejection_reason: `reason ${index} ${'z'.repeat(1_000)}` }));
  const reasons = history[0]?.rejection_reason ?? '';
  assert.ok(reasons.length <= 2_000);
  assert.match(reasons, 'reason 446');
  assert.not.match(reasons, 'reason 1 ');
});

test('a done attempt is amended in place, keeping agent and cost', () => {
  const done = appendHistoryEntry([], entry('done'));
  const fate = {
    agent_id: null,
    timestamp: testTime,
    result: 'rejected',
    notes: 'too slow',
    rejection_reason: 'too slow',
    cost_usd: 0.5,
    tokens_used: 1,
  };
  assert.equal(amendLatestDoneEntry(done, fate), [
    { ...fate, attempt: 1, agent_id: 'worker-1a2b3c4d', cost_usd: 0.75, tokens_used: 11 },
  ]);
});

test('without a done attempt the fate gets a line of its own', () => {
  const history = amendLatestDoneEntry(appendHistoryEntry([], entry('failed')), entry('conflict'));
  assert.equal(
    history.map(({ attempt, result }) => [attempt, result]),
    [
      [1, 'failed'],
      [2, 'conflict'],
    ],
  );
});

test.run();
