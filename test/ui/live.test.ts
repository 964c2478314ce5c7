import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { applyEventToLiveState } from '../../lib/ui/live/apply-live-event.ts';
import { applyHintTyping, applyLiveKey, type LiveKey, parseTerminalKeys } from '../../lib/ui/live/live-keys.ts';
import { emptyLiveState, type LiveSessionFacts, type LiveState } from '../../lib/ui/live/live-state.ts';
import { renderLive } from '../../lib/ui/live/render-live.ts';
import { textWidth } from '../../lib/util/format-width.ts';
import { hostile, isHarmless, plainStyle } from './samples.ts';

const second = 1_000;
const style = plainStyle();
const budget = { unit: 'usd', limit: 1 } as const;
const facts: LiveSessionFacts = {
  counts: { total: 9, done: 2, landed: 0, running: 2, waiting: 4, back: 1, lost: 0, dropped: 0 },
  ready: 1,
  spent: { cost_usd: 1.5, tokens: 30_000 },
  budget: { unit: 'usd', limit: 10 },
  agentBudgets: {
    planner: budget,
    worker: budget,
    validator: { unit: 'tokens', limit: 50_000 },
    merger: { unit: 'usd', limit: 0 },
    queen: budget,
  },
  titles: new Map([['task-001', 'Add password hashing']]),
};

function running(count = 2, known: LiveSessionFacts | null = facts): LiveState {
  let state = applyEventToLiveState(
    { ...emptyLiveState, facts: known },
    { event: 'wave-started', wave: 'work', cycle: 1 },
    0,
  );
  for (let index = 1; index <= count; index += 1) {
    const role = index === 2 ? 'validator' : 'worker';
    const agent = `${role}-0000000${index}`;
    state = applyEventToLiveState(
      state,
      { event: 'agent-started', agent, role, task: `task-00${index}`, pid: index },
      0,
    );
    const activity = { text: `edits src/${index}.ts`, tokens: 1_234 * index, cost_usd: 0.12 * index };
    state = applyEventToLiveState(state, { event: 'agent-activity', agent, ...activity }, 61 * second);
  }
  return state;
}

function lines(state: LiveState, width = 99, height = 22): readonly string[] {
  return renderLive(state, { width, height, now: 125 * second, style, hasKeys: true });
}

function press(state: LiveState, ...keys: readonly LiveKey[]): LiveState {
  return keys.reduce((now, key) => applyLiveKey(now, key).state, state);
}

test('QUE-1 the row of a model that leads shows what she called and has cost, before her CLI says so', () => {
  const agent = 'queen-00000001';
  const began = { event: 'agent-started', agent, role: 'queen', task: null, pid: 1 } as const;
  const called = { event: 'queen-call', agent, tool: 'assign_task', about: 'all', code: null } as const;
  const state = applyEventToLiveState(
    applyEventToLiveState(emptyLiveState, began, 0),
    { ...called, cost_usd: 0.35, tokens: 61_500 },
    1,
  );
  const [row] = state.agents;
  assert.equal([row?.cost_usd, row?.tokens], [0.35, 61_500]);
});

test('CLI-4: agents, time, spend against the budget, last action, tasks ahead, wave and session budget', () => {
  assert.equal(lines(running(2), 119), [
    'Wave work, cycle 1 · 2 of 9 tasks done · 2 running · 1 ready · 3 waiting · 1 sent back · $1.86 of $10.00',
    '> worker     task-001  Add password hashing          2m 05s   $0.12 of $1.00    edits src/1.ts',
    '  validator  task-002                                2m 05s   2.47k of 50k tok  edits src/2.ts',
    '↑↓ choose · Enter open · t message · s stop · g start no more agents · ? help',
  ]);
});

test('a check is seen while it runs: on whose work, for how long, which command', () => {
  const named = { event: 'check', id: 'c1', commit: '1a2b3c4d5e6f', about: 'task-003' } as const;
  const began = { ...named, command: 'npm test', exit_code: null, state: 'started' } as const;
  const state = applyEventToLiveState(running(0), began, 118 * second);
  assert.equal(lines(state, 119), [
    'Wave work, cycle 1 · 2 of 9 tasks done · 2 running · 1 ready · 3 waiting · 1 sent back · $1.50 of $10.00',
    '  check  task-003  7 s      npm test',
    'g start no more agents · ? help',
  ]);
  const other = applyEventToLiveState(state, { ...began, id: 'c2', about: null, command: hostile }, 118 * second);
  assert.match(lines(other, 119).join('\n'), /check {2}1a2b3c4d5e {2}7 s/);
  for (const line of lines(other, 60)) assert.ok(isHarmless(line) && textWidth(line) <= 60);
  assert.equal(applyEventToLiveState(state, { ...began, exit_code: 0, state: 'ended' }, 119 * second).checks, []);
});

test('at 40 columns a row takes two lines', () => {
  assert.equal(lines(running(2), 39), [
    'Wave work, cycle 1 · $1.86 of $10.00',
    '2/9 done, 2 on, 1 ready, 3 wait, 1 back',
    '> task-001  2m 05s  $0.12 of $1.00',
    '    edits src/1.ts',
    '  task-002  2m 05s  2.47k of 50k tok',
    '    edits src/2.ts',
    '↑↓ choose · Enter open · ? help',
  ]);
});

test('no line is wider and no frame higher than the terminal, whatever it shows', () => {
  let state = applyEventToLiveState(
    running(30),
    { event: 'agent-activity', agent: 'worker-00000001', text: hostile, tokens: 0, cost_usd: 0 },
    0,
  );
  const text = `${'漢字'.repeat(200)} ${hostile}`;
  state = applyEventToLiveState(
    state,
    { event: 'agent-activity', agent: 'worker-00000003', text, tokens: 0, cost_usd: 0 },
    0,
  );
  const titles = new Map([['task-001', hostile.repeat(9)]]);
  state = { ...state, facts: { ...facts, titles } };
  const screens = [
    state,
    press(state, 'enter'),
    press(state, 'char:?'),
    press(state, 'char:s'),
    press(state, 'char:g'),
    press(state, 'down', 'down', 'enter'),
    { ...state, isWindingDown: true, isStopping: true },
  ];
  for (const screen of screens) {
    for (const width of [20, 39, 60, 71, 72, 99, 119, 300]) {
      for (const height of [1, 2, 3, 5, 9, 22, 60]) {
        const shown = lines(screen, width, height);
        assert.ok(shown.length <= height, `${shown.length} lines of ${height}`);
        assert.ok(shown.every((line) => textWidth(line) <= width));
        assert.ok(shown.every((line) => isHarmless(line)));
      }
    }
  }
});

test('of many agents those are shown that fit, the chosen one among them', () => {
  const state = running(30);
  assert.match(lines(state, 99, 10).join('\n'), /> worker +task-001[\s\S]*… 24 more/);
  const down = press(state, ...Array.from({ length: 29 }, (): LiveKey => 'down'));
  const shown = lines(down, 99, 10).join('\n');
  assert.match(shown, /> worker +task-0030/);
  assert.is(shown.includes('task-001 '), false);
});

test('an agent is looked into and left; when it ends meanwhile it stays in sight', () => {
  let state = press(running(), 'down', 'enter');
  assert.equal(lines(state), [
    'validator-00000002 · 2m 05s · 2.47k of 50k tok',
    'task-002',
    '00:01:01  edits src/2.ts',
    'Esc back · ↑↓ scroll · t message · s stop · ? help',
  ]);
  state = applyEventToLiveState(
    state,
    {
      ...{ event: 'agent-ended', agent: 'validator-00000002', role: 'validator', task: 'task-002' },
      ...{ outcome: 'ended', cost_usd: 0.4, tokens: 9_000, duration_ms: 5 },
    },
    0,
  );
  assert.is(lines(state)[0], 'validator-00000002 · ended · 9k of 50k tok');
  assert.match(lines(press(state, 'back')).join('\n'), /\n> worker/);
});

test('a long stream is scrolled', () => {
  let state = running(1);
  for (let index = 0; index < 50; index += 1) {
    const activity = { text: `line ${index}`, tokens: 0, cost_usd: 0 };
    state = applyEventToLiveState(state, { event: 'agent-activity', agent: 'worker-00000001', ...activity }, 0);
  }
  state = press(state, 'enter');
  assert.match(lines(state, 99, 6).join('\n'), /line 47[\s\S]*line 49/);
  assert.match(lines(press(state, 'up', 'up'), 99, 6).join('\n'), /line 45[\s\S]*line 47\n/);
  const top = press(state, ...Array.from({ length: 99 }, (): LiveKey => 'up'));
  assert.match(lines(top, 99, 6).join('\n'), /edits src\/1/);
});

test('WRK-6: stopping is asked once, and done only after y', () => {
  const asked = press(running(), 'char:s');
  assert.is(lines(asked).at(-1), 'Stop task-001? (y)es, it fails / yes, and (r)etry / (n)o');
  assert.equal(applyLiveKey(asked, 'char:n'), { state: running(), act: null });
  assert.is(applyLiveKey(asked, 'enter').act, null);
  const stopped = applyLiveKey(asked, 'char:y');
  assert.equal(stopped.act, { kind: 'stop', agent: 'worker-00000001', retry: false });
  assert.equal(applyLiveKey(asked, 'char:r').act, { kind: 'stop', agent: 'worker-00000001', retry: true });
  assert.match(lines(stopped.state).join('\n'), /task-001 .* stopping\n/);
  assert.is(press(stopped.state, 'char:s').prompt, null);
});

test('DSK-6: a hint is typed on the last line, and what became of it stands in the stream', () => {
  const type = (state: LiveState, ...typed: readonly string[]): ReturnType<typeof applyHintTyping> => {
    let at: ReturnType<typeof applyHintTyping> = { state, act: null };
    for (const text of typed) {
      if (at.state.prompt?.kind !== 'hint') throw new Error('no hint is typed');
      at = applyHintTyping(at.state, at.state.prompt, text);
    }
    return at;
  };
  const asked = press(running(), 'char:t');
  const typed = type(asked, 'Keep ', 'kilo old', '\u0017', '\u007f', 'bytes\r\nas K', '\u001b[A');
  assert.equal(typed.act, null);
  assert.is(lines(typed.state).at(-1), 'Message worker-00000001 (Enter, Esc): Keep kilobytes as K_');
  assert.ok(textWidth(lines(typed.state, 40).at(-1) ?? '') <= 40);
  const sent = type(typed.state, '\r');
  assert.equal(sent.act, { kind: 'hint', agent: 'worker-00000001', text: 'Keep kilobytes as K' });
  assert.is(sent.state.prompt, null);
  assert.equal(type(typed.state, '\u001b'), { state: { ...typed.state, prompt: null }, act: null });
  assert.is(type(typed.state, '\u0015', '\r').act, null);
  assert.equal(type(typed.state, '\u0003').act, { kind: 'interrupt' });
  const news = {
    event: 'hint',
    agent: 'worker-00000001',
    task: null,
    hint: 'h',
    by: 'Lea',
    text: 'K',
    next: [],
  } as const;
  const told = applyEventToLiveState(press(running(1), 'enter'), { ...news, state: 'seen' }, 0);
  assert.match(lines(told).join('\n'), /received: K/);
});

test('WRK-6: no more agents can be asked for only while agents are started', () => {
  const state = running();
  const said = applyLiveKey(press(state, 'char:g'), 'char:y');
  assert.equal(said.act, { kind: 'wind-down' });
  assert.ok(lines(said.state).includes('No more agents start in this cycle.'));
  assert.is(press({ ...state, wave: 'validate' }, 'char:g').prompt, null);
  const next = applyEventToLiveState(said.state, { event: 'wave-started', wave: 'work', cycle: 2 }, 0);
  assert.is(next.isWindingDown, false);
});

test('WRK-6: the question whether to start more agents goes with its wave', () => {
  const asked = press(running(), 'char:g');
  assert.equal(asked.prompt, { kind: 'wind-down' });
  const over = applyEventToLiveState(asked, { event: 'wave-ended', wave: 'work', cycle: 1, summary: '' }, 0);
  assert.is(over.prompt, null);
  const next = applyEventToLiveState(asked, { event: 'wave-started', wave: 'merge', cycle: 1 }, 0);
  assert.is(next.prompt, null);
  assert.equal(applyLiveKey(over, 'char:y').act, null);
  const stop = press(running(), 'char:s');
  assert.is(
    applyEventToLiveState(stop, { event: 'wave-ended', wave: 'work', cycle: 1, summary: '' }, 0).prompt?.kind,
    'stop',
  );
});

test('without facts and agents there is still a frame', () => {
  assert.equal(lines(running(0, null)), ['Wave work, cycle 1', 'g start no more agents · ? help']);
});

test('a service that says to wait, and an agent nothing is heard of', () => {
  const until = '2026-02-06T14:35:00.000Z';
  let state = applyEventToLiveState(running(1), { event: 'paused', adapter: 'claude', until, why: 'rate limit' }, 0);
  const agent = 'worker-00000001';
  state = applyEventToLiveState(state, { event: 'agent-stalled', agent, task: 'task-001', quiet_ms: 9 }, 0);
  assert.equal(lines(state, 119).slice(1, 3), [
    'claude waits until 14:35 UTC',
    '> worker  task-001  Add password hashing          2m 05s   $0.12 of $1.00    no activity since: edits src/1.ts',
  ]);
  state = applyEventToLiveState(state, { event: 'agent-activity', agent, text: 'goes on', tokens: 0, cost_usd: 0 }, 0);
  state = applyEventToLiveState(state, { event: 'resumed', adapter: 'claude' }, 0);
  const text = lines(state, 119).join('\n');
  assert.is(text.includes('waits until') || text.includes('quiet'), false);
});

test('keys as terminals send them; what means nothing is left out', () => {
  assert.equal(parseTerminalKeys('\u001b[Ajk\u001bOB\r\u001b'), ['up', 'down', 'up', 'down', 'enter', 'back']);
  assert.equal(parseTerminalKeys('\u001b[1;5Cx\u0003\u001a\u001b[200~'), ['char:x', 'interrupt', 'suspend']);
  assert.equal(parseTerminalKeys('S?é漢\u0000'), ['char:s', 'char:?', 'char:é', 'char:漢']);
});

test.run();
