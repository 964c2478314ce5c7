import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addLogLines, takeSessionView, takeStream } from '../../../lib/ui/live/apply-live-event.ts';
import { applyLiveKey, applyTyping, parseTerminalKeys } from '../../../lib/ui/live/live-keys.ts';
import { findChosenRow, findStreamAgent, listLiveRows } from '../../../lib/ui/live/live-rows.ts';
import { emptyLiveState, isEngaged, type LiveState } from '../../../lib/ui/live/live-state.ts';
import { renderLive } from '../../../lib/ui/live/render-live.ts';
import { textWidth } from '../../../lib/util/format-width.ts';
import { plainStyle } from '../samples.ts';
import { after, liveWork, press } from './live-samples.ts';

function asked(state: LiveState, width = 100): string {
  const frame = renderLive(state, { width, height: 24, now: 0, style: plainStyle(), hasKeys: true });
  return frame.at(-1) ?? '';
}

const chosen = (state: LiveState): string | undefined => findChosenRow(state)?.key;

test('keys as terminals send them; what means nothing is left out', () => {
  assert.equal(parseTerminalKeys('\u001b[Ajk\u001bOB\r\u001b'), ['up', 'down', 'up', 'down', 'enter', 'back']);
  assert.equal(parseTerminalKeys('\t\u001b[Z\u001b[C\u001b[D0'), ['next', 'previous', 'next', 'previous', 'back']);
  assert.equal(parseTerminalKeys('\u001b[5~\u001b[6~\u001b[H\u001b[F'), ['page-up', 'page-down', 'first', 'last']);
  assert.equal(parseTerminalKeys('\u001b[1;5Cx\u0003\u001a\u001b[200~'), ['char:x', 'interrupt', 'suspend']);
  assert.equal(parseTerminalKeys('S?é漢\u0000'), ['char:s', 'char:?', 'char:é', 'char:漢']);
});

test('CLI-4: Tab and Shift-Tab go through the tasks, the stream of each agent and the session, and round', () => {
  const seen: string[] = [];
  let state = liveWork();
  for (let step = 0; step < 4; step += 1) {
    state = press(state, 'next');
    seen.push(`${state.screen.focus} ${state.screen.focus === 'stream' ? chosen(state) : ''}`.trim());
  }
  assert.equal(seen, ['stream task-001', 'stream task-002', 'session', 'tasks']);
  assert.is(press(liveWork(), 'previous').screen.focus, 'session');
  assert.is(chosen(press(liveWork(), 'previous', 'previous')), 'task-002');
});

test('CLI-4: arrows choose a row, and end at both ends', () => {
  assert.is(chosen(press(liveWork(), 'up', 'up')), 'task-001');
  assert.is(chosen(press(liveWork(), 'down', 'down')), 'task-003');
  assert.is(chosen(press(liveWork(), 'page-down', 'page-down')), 'task-006');
  assert.is(findStreamAgent(press(liveWork(), 'down', 'down')), 'worker-00000003');
  assert.is(findStreamAgent(press(liveWork(), 'last')), null);
});

test('CLI-4: a stream and the session are scrolled, never beyond what there is', () => {
  let state = addLogLines(liveWork(), {
    text: Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n'),
    task: null,
    at: 0,
  });
  state = press(state, 'previous');
  const text = (at: LiveState): string =>
    renderLive(at, { width: 99, height: 30, now: 0, style: plainStyle(), hasKeys: true }).join('\n');
  assert.match(text(state), /line 49\n/);
  assert.match(text(press(state, 'up', 'up')), /Session · 2 below[\s\S]*line 47\n/);
  const top = press(state, 'first');
  assert.match(text(top), 'line 0\n');
  assert.equal(press(top, 'up', 'page-up'), top);
  assert.is(press(top, 'last').screen.scroll, 0);
});

test('what is scrolled up to stays while more comes, and no line below is claimed where all fit', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ kind: 'said', text: `line ${at}.` }) as const);
  const agent = 'worker-00000001';
  const text = (at: LiveState): string =>
    renderLive(at, { width: 99, height: 30, now: 0, style: plainStyle(), hasKeys: true }).join('\n');
  const read = press(takeStream(liveWork(), { agent, lines: lines(60) }, 60), 'enter', 'up', 'up');
  assert.match(text(read), /· 2 below[\s\S]*line 57\.\n(?! *line 58)/);
  const more = takeStream(read, { agent, lines: lines(70) }, 10);
  assert.match(text(more), /· 12 below[\s\S]*line 57\.\n(?! *line 58)/);
  assert.is(takeStream(press(more, 'last'), { agent, lines: lines(71) }, 1).screen.scroll, 0);
  const short = press(takeStream(liveWork(), { agent, lines: lines(3) }, 3), 'enter', 'up');
  assert.not.match(text(short), 'below');
  const lived = addLogLines(press(liveWork(), 'previous'), { text: 'a\nb\nc', task: null, at: 0 });
  assert.is(addLogLines(press(lived, 'up'), { text: 'd', task: null, at: 0 }).screen.scroll, 2);
});

test('the stream of a planner or a validator stays when it has ended, until the person turns away', () => {
  const planner = { agent: 'planner-00000009', role: 'planner', task: null } as const;
  const over = { event: 'agent-ended', outcome: 'ended', cost_usd: 0, tokens: 0, duration_ms: 1 } as const;
  const planning = press(after(emptyLiveState, { event: 'agent-started', ...planner, pid: 9 }), 'enter');
  const stream = { agent: planner.agent, lines: [{ kind: 'said', text: 'Two tasks.' }] } as const;
  const planned = after(takeStream(planning, stream, 1), { ...over, ...planner });
  assert.is(findStreamAgent(planned), planner.agent);
  assert.match(
    renderLive(planned, { width: 99, height: 20, now: 0, style: plainStyle(), hasKeys: true }).join('\n'),
    /planner-00000009 · ended[\s\S]*Two tasks\./,
  );
  assert.is(findStreamAgent(press(planned, 'back')), null);
  const judge = { agent: 'validator-00000002', role: 'validator', task: 'task-002' } as const;
  const judged = after(press(liveWork(), 'down', 'enter'), { ...over, ...judge });
  const tasks = Object.entries(judged.view.tasks).map(([id, task]) => [id, { ...task, by: 'worker-00000002' }]);
  const later = takeSessionView(judged, { ...judged.view, tasks: Object.fromEntries(tasks), agents: [] });
  assert.is(findStreamAgent(later), judge.agent);
  assert.is(findStreamAgent(press(later, 'back')), 'worker-00000002');
});

test('help names what waits', () => {
  const help = press({ ...liveWork(), waiting: 'question' }, 'char:?');
  const shown = renderLive(help, { width: 60, height: 12, now: 0, style: plainStyle(), hasKeys: true });
  assert.match(shown.at(-1) ?? '', 'A question waits for you');
});

test('CLI-4: Enter opens, Esc and 0 lead back to the overview, and what was chosen stays', () => {
  const opened = press(liveWork(), 'down', 'enter');
  assert.equal([opened.screen.focus, opened.screen.isLarge, isEngaged(opened)], ['stream', true, true]);
  const first = press(liveWork(), 'enter');
  const ended = { event: 'agent-ended', agent: 'worker-00000001', role: 'worker', task: 'task-001' } as const;
  const over = after(first, { ...ended, outcome: 'ended', cost_usd: 0, tokens: 0, duration_ms: 1 });
  assert.is(chosen(over), 'task-001');
  const back = press(opened, 'back');
  assert.equal(
    [back.screen.focus, back.screen.isLarge, isEngaged(back), chosen(back)],
    ['tasks', false, false, 'task-002'],
  );
  assert.is(press(liveWork(), 'char:?').screen.isHelp, true);
  assert.equal(press(liveWork(), 'char:?', 'char:x'), liveWork());
});

test('CLI-4: q in the overview asks before it stops the run, elsewhere it leads back', () => {
  const prompted = press(liveWork(), 'char:q');
  assert.is(asked(prompted), ' Stop the run? All of it is kept, and git flame run continues. (y/n)');
  assert.equal(applyLiveKey(prompted, 'char:n'), { state: liveWork(), act: null });
  assert.equal(applyLiveKey(prompted, 'char:y').act, { kind: 'interrupt' });
  assert.is(press(liveWork(), 'enter', 'char:q').screen.isLarge, false);
});

test('CLI-4: d asks for the diff of the chosen task, and leads back from it', () => {
  assert.equal(applyLiveKey(press(liveWork(), 'down', 'down'), 'char:d').act, { kind: 'diff', task: 'task-003' });
  const state = liveWork();
  const looking = { ...state, screen: { ...state.screen, diff: { task: 'task-001', lines: ['+a'] } } };
  assert.equal(press(looking, 'char:d'), state);
});

test('a question that waits is answered by a, or once the person is back', () => {
  assert.is(applyLiveKey(liveWork(), 'char:a').act, null);
  const waiting = { ...liveWork(), waiting: 'question' } as const;
  assert.equal(applyLiveKey(waiting, 'char:a').act, { kind: 'go-on' });
  assert.is(asked(waiting), ' A question waits for you: a answers it');
});

test('WRK-6: stopping is asked once, and done only after y', () => {
  const prompted = press(liveWork(), 'char:s');
  assert.is(asked(prompted), ' Stop task-001? (y)es, it fails / yes, and (r)etry / (n)o');
  assert.equal(applyLiveKey(prompted, 'char:n'), { state: liveWork(), act: null });
  assert.is(applyLiveKey(prompted, 'enter').act, null);
  const stopped = applyLiveKey(prompted, 'char:y');
  assert.equal(stopped.act, { kind: 'stop', agent: 'worker-00000001', retry: false });
  assert.equal(applyLiveKey(prompted, 'char:r').act, { kind: 'stop', agent: 'worker-00000001', retry: true });
  assert.is(press(stopped.state, 'char:s').prompt, null);
  assert.is(press(liveWork(), 'last', 'char:s').prompt, null);
});

test('DSK-6: a hint is typed on the last line', () => {
  const type = (state: LiveState, ...typed: readonly string[]): ReturnType<typeof applyTyping> => {
    let at: ReturnType<typeof applyTyping> = { state, act: null };
    for (const text of typed) {
      if (at.state.prompt?.kind !== 'hint') throw new Error('no hint is typed');
      at = applyTyping(at.state, at.state.prompt, text);
    }
    return at;
  };
  const prompted = press(liveWork(), 'char:t');
  const typed = type(prompted, 'Keep ', 'kilo old', '\u0017', '\u007f', 'bytes\r\nas K', '\u001b[A');
  assert.equal(typed.act, null);
  assert.is(asked(typed.state), ' Message worker-00000001 (Enter, Esc): Keep kilobytes as K_');
  assert.ok(textWidth(asked(typed.state, 40)) <= 40);
  const sent = type(typed.state, '\r');
  assert.equal(sent.act, { kind: 'hint', agent: 'worker-00000001', text: 'Keep kilobytes as K' });
  assert.is(sent.state.prompt, null);
  assert.equal(type(typed.state, '\u001b'), { state: { ...typed.state, prompt: null }, act: null });
  assert.is(type(typed.state, '\u0015', '\r').act, null);
  assert.equal(type(typed.state, '\u0003').act, { kind: 'interrupt' });
});

test('CLI-4: / leaves the rows that have every word, of title, id, state, reason or agent; Esc shows all', () => {
  const type = (state: LiveState, typed: string): LiveState => {
    if (state.prompt?.kind !== 'filter') throw new Error('no filter is typed');
    return applyTyping(state, state.prompt, typed).state;
  };
  const rows = (state: LiveState): readonly string[] => listLiveRows(state).map(({ key }) => key);
  const typing = type(press(liveWork(), 'char:/'), 'PRICE ');
  assert.equal([rows(typing), asked(typing)], [['task-001', 'task-002', 'task-003'], ' /PRICE _']);
  const judged = type(typing, 'judg');
  assert.equal([rows(judged), chosen(judged)], [['task-002'], 'task-002']);
  assert.equal(rows(type(press(liveWork(), 'char:/'), 'ended with')), ['task-004']);
  const kept = type(judged, '\r');
  assert.equal([kept.prompt, rows(kept), isEngaged(kept)], [null, ['task-002'], false]);
  // A stream is read and left without losing it.
  assert.equal(rows(press(kept, 'enter', 'back')), ['task-002']);
  assert.is(rows(press(kept, 'back')).length, 6);
  assert.is(rows(type(judged, '\u001b')).length, 6);
  const none = type(press(liveWork(), 'enter', 'char:/'), 'nothing has this');
  assert.equal([rows(none), findStreamAgent(none)], [[], null]);
});

test('WRK-6: no more agents can be asked for only while agents are started', () => {
  const state = liveWork();
  const said = applyLiveKey(press(state, 'char:g'), 'char:y');
  assert.equal(said.act, { kind: 'wind-down' });
  assert.is(said.state.isWindingDown, true);
  assert.is(press({ ...state, wave: 'validate' }, 'char:g').prompt, null);
  assert.is(after(said.state, { event: 'wave-started', wave: 'work', cycle: 2 }).isWindingDown, false);
});

test('WRK-6: the question whether to start more agents goes with its wave', () => {
  const prompted = press(liveWork(), 'char:g');
  assert.equal(prompted.prompt, { kind: 'wind-down' });
  const over = after(prompted, { event: 'wave-ended', wave: 'work', cycle: 1, summary: '' });
  assert.is(over.prompt, null);
  assert.is(after(prompted, { event: 'wave-started', wave: 'merge', cycle: 1 }).prompt, null);
  const stop = press(liveWork(), 'char:s');
  assert.is(after(stop, { event: 'wave-ended', wave: 'work', cycle: 1, summary: '' }).prompt?.kind, 'stop');
});

test.run();
