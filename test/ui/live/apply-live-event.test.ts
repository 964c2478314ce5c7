import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addLogLines, takeLiveFacts } from '../../../lib/ui/live/apply-live-event.ts';
import { findChosenRow, listLiveRows } from '../../../lib/ui/live/live-rows.ts';
import { emptyLiveState, type LiveState, type LiveTask } from '../../../lib/ui/live/live-state.ts';
import { after, liveFacts, liveTask, liveWork, press, startAgent } from './live-samples.ts';

const taskOf = (state: LiveState, id: string): LiveTask | undefined =>
  state.facts?.tasks.find((task) => task.id === id);

test('QUE-1 the row of a model that leads shows what it called and has cost, before its CLI reports that', () => {
  const agent = 'queen-00000001';
  const called = { event: 'queen-call', agent, tool: 'assign_task', about: 'all', code: null } as const;
  const state = after(
    emptyLiveState,
    { event: 'agent-started', agent, role: 'queen', task: null, pid: 1 },
    { ...called, cost_usd: 0.35, tokens: 61_500 },
  );
  const [row] = state.agents;
  assert.equal([row?.cost_usd, row?.tokens, row?.last], [0.35, 61_500, 'assign_task all']);
  assert.equal(
    listLiveRows(state).map(({ title }) => title),
    ['Leads the run'],
  );
});

test('a task is what its events say, before the notes are read again', () => {
  const ended = { event: 'agent-ended', agent: 'worker-00000001', role: 'worker', task: 'task-001' } as const;
  const state = after(
    liveWork(),
    { ...ended, outcome: 'ended', cost_usd: 0, tokens: 0, duration_ms: 9_000 },
    { event: 'task-changed', task: 'task-001', from: 'claimed', to: 'done', why: 'by worker-00000001' },
    { event: 'verdict', task: 'task-001', commit: 'a', status: 'pass', notes: '', by: 'diagnostics' },
    { event: 'task-changed', task: 'task-006', from: 'pending', to: 'blocked', why: 'needs task-004: it failed' },
  );
  const { status, verdict, agent, took_ms, why } = taskOf(state, 'task-001') ?? liveTask(0);
  assert.equal([status, verdict, agent, took_ms, why], ['done', 'pass', 'worker-00000001', 9_000, '']);
  assert.is(taskOf(state, 'task-006')?.why, 'needs task-004: it failed');
  // What is not booked yet is no less known.
  const read = takeLiveFacts(state, liveFacts([liveTask(1, { status: 'done', agent: 'worker-00000001' })]));
  assert.is(taskOf(read, 'task-001')?.took_ms, 9_000);
});

test('several attempts at one task have a row each', () => {
  const state = after({ ...emptyLiveState, facts: liveFacts([liveTask(1)]) }, startAgent(1), {
    event: 'agent-started',
    agent: 'worker-00000009',
    role: 'worker',
    task: 'task-001',
    pid: 9,
  });
  assert.equal(
    listLiveRows(state).map(({ key }) => key),
    ['task-001', 'worker-00000009'],
  );
});

test('what a person chose stays chosen when it ends; a prompt about it goes', () => {
  const prompted = press(liveWork(), 'down', 'char:s');
  const ended = { event: 'agent-ended', agent: 'validator-00000002', role: 'validator', task: 'task-002' } as const;
  const over = after(prompted, { ...ended, outcome: 'ended', cost_usd: 0.4, tokens: 9_000, duration_ms: 5 });
  assert.equal([over.prompt, findChosenRow(over)?.key, findChosenRow(over)?.agent], [null, 'task-002', null]);
});

test('what was received and asked stands in the row of its agent', () => {
  const news = {
    event: 'hint',
    agent: 'worker-00000001',
    task: null,
    hint: 'h',
    by: 'Lea',
    text: 'K',
    next: [],
  } as const;
  assert.is(after(liveWork(), { ...news, state: 'seen' }).agents[0]?.last, 'received: K');
  const question = { event: 'question', agent: 'worker-00000001', task: null, text: 'Which?', answer: '' } as const;
  assert.is(after(liveWork(), { ...question, state: 'asked' }).agents[0]?.last, 'asks you: Which?');
});

test('a line of the log has the title of its task before it', () => {
  const state = addLogLines(liveWork(), { text: 'task-001: claimed -> done\nmore', task: 'task-001', at: 5 });
  assert.equal(state.log, [
    { at: 5, text: 'Read the price · task-001: claimed -> done' },
    { at: 5, text: 'more' },
  ]);
});

test('of what is printed without a line break only its beginning is kept', () => {
  const text = 'x'.repeat(10_000_000);
  const state = after(liveWork(), { event: 'agent-activity', agent: 'worker-00000001', text, cost_usd: 0, tokens: 0 });
  assert.is(state.agents[0]?.last.length, 400);
});

test.run();
