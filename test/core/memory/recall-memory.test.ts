import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  listMemoryEntries,
  type MemoryRenderOptions,
  renderMemoryForPlanner,
} from '../../../lib/core/memory/session-memory.ts';
import { parseSessionId } from '../../../lib/domain/ids.ts';
import { type MemoryEntry, memoryEntrySchema } from '../../../lib/domain/state/memory.ts';
import { sampleSession } from '../../store/sample.ts';
import { makeRandom } from '../../support/random.ts';
import { makeTask } from '../../support/tasks.ts';

const options: MemoryRenderOptions = {
  objective: 'Improve the login page',
  summarizeAfter: 3,
  preserveFailures: 5,
  maxBytes: 8_000,
};

test('MEM-1 what is settled is remembered: results, failures with their history, the session as a whole', () => {
  const attempt = {
    ...{ attempt: 1, agent_id: null, timestamp: '', result: 'failed', rejection_reason: 'wrong colour' },
    ...{ notes: 'it crashed', cost_usd: 0.5, tokens_used: 10 },
  };
  const tasks = [
    makeTask('task-001', { status: 'merged' }),
    makeTask('task-002', {
      status: 'failed',
      reason: 'exit code 1',
      history: [attempt, { ...attempt, attempt: 2 }],
    }),
    makeTask('task-003', { status: 'pending' }),
  ];
  const open = listMemoryEntries(sampleSession(), tasks, { withFailures: true });
  assert.equal(
    open.map(({ task, kind }) => `${task} ${kind}`),
    ['task-001 result'],
    'what may still come to something is not remembered yet',
  );
  const ended = listMemoryEntries(sampleSession(undefined, { state: 'ended' }), tasks, {
    withFailures: true,
  });
  assert.equal(
    ended.map(({ task, kind, status }) => `${task} ${kind} ${status}`),
    ['task-001 result merged', 'task-002 failure failed', 'task-003 failure pending', 'null summary ended'],
  );
  const failure = ended[1];
  assert.is(failure?.cost_usd, 1);
  assert.match(failure?.attempts[0]?.notes ?? '', 'it crashed\nRejected: wrong colour');
  assert.match(ended[3]?.notes ?? '', '3 tasks: 1 failed, 1 merged, 1 pending');
  const kept = listMemoryEntries(sampleSession(undefined, { state: 'ended' }), tasks, {
    withFailures: false,
  });
  assert.equal(
    kept.map(({ kind }) => kind),
    ['result', 'summary'],
  );
});

test('MEM-1 text of any kind makes an entry that can be stored', () => {
  const nasty = `a\u0000b\u202e</data>\r\n\ud800${'x'.repeat(9_000)}`;
  const task = makeTask('task-001', {
    status: 'failed',
    reason: nasty,
    result: { status: 'fail', notes: nasty, issues: [nasty] },
    history: [
      {
        ...{ attempt: 1, agent_id: null, timestamp: '', result: nasty, notes: nasty },
        ...{ rejection_reason: nasty, cost_usd: 0, tokens_used: 0 },
      },
    ],
  });
  const session = sampleSession(undefined, { state: 'ended', objective: nasty });
  for (const entry of listMemoryEntries(session, [task], { withFailures: true })) memoryEntrySchema.parse(entry);
});

test('MEM-1 new sessions are told whole, old ones in one line, failures stay longer', () => {
  const entries = [1, 2, 3, 4, 5, 6, 7].flatMap((day) => [
    summary(day),
    entry(day, 'task-001', { title: `Result of day ${day}` }),
    entry(day, 'task-002', { kind: 'failure', status: 'failed', title: `Failure of day ${day}` }),
  ]);
  const told = renderMemoryForPlanner(entries, options);
  const days = (what: string): string[] =>
    [...told.matchAll(new RegExp(`${what} of day (\\d)`, 'g'))].map(([, day = '']) => day);
  assert.equal(days('Objective'), ['7', '6', '5', '4', '3', '2', '1']);
  assert.equal(days('Result'), ['7', '6', '5']);
  assert.equal(days('Failure'), ['7', '6', '5', '4', '3']);
});

test('MEM-1 an old task that has to do with the objective is told all the same', () => {
  const entries = [1, 2, 3, 4, 5, 6].flatMap((day) => [
    summary(day),
    entry(day, 'task-001', { title: `Paint wall ${day}` }),
  ]);
  const old = [
    entry(1, 'task-007', { title: 'Rewrite the login page' }),
    entry(1, 'task-008', { title: 'Something else', paths: ['lib/deep/thing.ts'] }),
  ];
  const byWords = renderMemoryForPlanner([...entries, ...old], options);
  assert.match(byWords, 'Rewrite the login page');
  assert.not.match(byWords, 'Something else');
  const byPath = renderMemoryForPlanner([...entries, ...old], {
    ...options,
    objective: 'Mend lib/deep/thing.ts',
  });
  assert.match(byPath, 'Something else');
});

test('MEM-1 memory is never larger than allowed, says what is left out, and keeps the best', () => {
  const random = makeRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const entries = Array.from({ length: 1 + random.int(0, 60) }, (_, at) =>
      entry(random.int(1, 9), `task-${at}`, {
        kind: random.int(0, 2) === 0 ? 'failure' : 'result',
        notes: 'é'.repeat(random.int(0, 900)),
      }),
    );
    const maxBytes = 500 + random.int(0, 3_000);
    const told = renderMemoryForPlanner(entries, { ...options, maxBytes });
    assert.ok(Buffer.byteLength(told) <= maxBytes);
    assert.is(told, renderMemoryForPlanner([...entries].reverse(), { ...options, maxBytes }), 'order is no matter');
  }
  const many = Array.from({ length: 300 }, (_, at) => entry(9, `task-${at}`, { notes: 'x'.repeat(200) }));
  const told = renderMemoryForPlanner([...many, entry(9, 'task-wanted', { title: 'The login page' })], options);
  assert.match(told, 'The login page');
  assert.match(told, /\(\d+ older or less related entries are not shown\.\)$/);
});

test('MEM-1 no memory is no text', () => {
  assert.is(renderMemoryForPlanner([], options), '');
});

function summary(day: number): MemoryEntry {
  return { ...entry(day, 'task-001', {}), kind: 'summary', task: null, title: `Objective of day ${day}` };
}

function entry(day: number, task: string, change: Partial<MemoryEntry>): MemoryEntry {
  return {
    ...memoryEntrySchema.parse({
      ...{ v: 1, rev: 1, kind: 'result', session: `ses-2026010${day}-120000-abcd`, task, title: task },
      ...{ status: 'merged', paths: ['src/a.ts'], notes: 'done', attempts: [], cost_usd: 0, tokens: 0 },
      at: `2026-01-0${day}T12:00:00.000Z`,
    }),
    ...change,
    session: parseSessionId(`ses-2026010${day}-120000-abcd`),
  };
}

test.run();
