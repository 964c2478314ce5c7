import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addLogLines, takeSessionView } from '../../../lib/ui/live/apply-live-event.ts';
import { findChosenRow, listAgentsAtWork, listLiveRows } from '../../../lib/ui/live/live-rows.ts';
import { emptyLiveState, type LiveState } from '../../../lib/ui/live/live-state.ts';
import { after, liveOf, liveTask, liveWork, press, startAgent } from './live-samples.ts';

const firstAgent = (state: LiveState) => listAgentsAtWork(state)[0];

test('QUE-1 the row of a model that leads shows what it called and has cost, before its CLI reports that', () => {
  const agent = 'queen-00000001';
  const called = { event: 'queen-call', agent, tool: 'assign_task', about: 'all', code: null } as const;
  const state = after(
    emptyLiveState,
    { event: 'agent-started', agent, role: 'queen', task: null, pid: 1 },
    { ...called, cost_usd: 0.35, tokens: 61_500 },
  );
  const row = firstAgent(state);
  assert.equal([row?.cost_usd, row?.tokens, row?.last], [0.35, 61_500, 'assign_task all']);
  assert.equal(
    listLiveRows(state).map(({ title }) => title),
    ['Leads the run'],
  );
});

test('an agent that has ended is at work no more, also where the session was read before that', () => {
  const ended = { event: 'agent-ended', agent: 'worker-00000001', role: 'worker', task: 'task-001' } as const;
  const before = liveWork();
  const over = after(before, { ...ended, outcome: 'ended', cost_usd: 0, tokens: 0, duration_ms: 9_000 });
  const rest = ['validator-00000002'];
  const atWork = (state: LiveState) => listAgentsAtWork(state).map(({ id }) => id);
  assert.equal(atWork(over), rest);
  assert.equal(atWork(takeSessionView(over, before.view)), rest);
  const agents = before.view.agents.slice(1);
  assert.is(takeSessionView(over, { ...before.view, agents }).news.has('worker-00000001'), false);
});

test('what an agent has spent and did stays known when a session is read that lags behind', () => {
  const read = takeSessionView(liveWork(), liveWork().view);
  assert.equal([firstAgent(read)?.cost_usd, firstAgent(read)?.last], [0.12, 'edits src/1.ts']);
});

test('several attempts at one task have a row each', () => {
  const state = after(liveOf(liveTask(1)), startAgent(1), {
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
  assert.is(firstAgent(after(liveWork(), { ...news, state: 'seen' }))?.last, 'received: K');
  const question = { event: 'question', agent: 'worker-00000001', task: null, text: 'Which?', answer: '' } as const;
  assert.is(firstAgent(after(liveWork(), { ...question, state: 'asked' }))?.last, 'asks you: Which?');
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
  assert.is(firstAgent(state)?.last.length, 400);
});

test.run();
