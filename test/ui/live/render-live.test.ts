import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addLogLines } from '../../../lib/ui/live/apply-live-event.ts';
import { applyTyping, type LiveKey } from '../../../lib/ui/live/live-keys.ts';
import { emptyLiveState, type LiveState } from '../../../lib/ui/live/live-state.ts';
import { renderLive } from '../../../lib/ui/live/render-live.ts';
import { textWidth } from '../../../lib/util/format-width.ts';
import { hostile, isHarmless, plainStyle } from '../samples.ts';
import { after, doAction, liveOf, liveSession, liveTask, liveWork, press, second, startAgent } from './live-samples.ts';

const style = plainStyle();

function lines(state: LiveState, width = 100, height = 30): readonly string[] {
  return renderLive(state, { width, height, now: 125 * second, style, hasKeys: true });
}

function shown(state: LiveState, width = 100, height = 30): readonly string[] {
  return lines(state, width, height)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

test('CLI-4: every task has a row: sign, title, id, state, time, what is done or why nothing is', () => {
  const state = addLogLines(liveWork(), {
    text: 'Wave work, cycle 1',
    task: null,
    at: new Date(2026, 1, 6, 14, 30).getTime(),
  });
  assert.equal(shown(state, 110), [
    ' Add prices                                             ✓ plan  ● work  ○ validate  ○ merge  ○ review  cycle 1',
    '▸─ Tasks · 1 of 6 tasks done · 2 running · 1 ready · 1 waiting · 1 failed or blocked ─────────────────────────',
    '▸◐ Read the price             task-001  working  2m 05s   $0.12 of $1.00  edits src/1.ts',
    ' ◐ Show the price             task-002  judging  2m 05s   2.47k of 50k tok  reads src/2.ts',
    ' ◉ Sort by price              task-003  passed   1m 01s',
    ' ✗ Write JSON                 task-004  failed            The script ended with exit code 3.',
    ' ○ Refuse what is below zero  task-005  waiting           after task-001',
    ' ○ Document it                task-006  ready',
    `── Read the price · task-001 · working · worker-00000001 · 2m 05s · $0.12 of $1.00 ${'─'.repeat(27)}`,
    '  edits src/1.ts',
    `── Session ${'─'.repeat(99)}`,
    '  14:30 Wave work, cycle 1',
    ' Wave work, cycle 1 · 2m 05s · 2 agents · $1.86 of $10.00',
    ' Tab panels · ↑↓ choose · Enter open · t message · s stop · d diff · / filter · q stop · ? help',
  ]);
});

test('CLI-4: on a wide screen the session stands beside the stream, and a worker has its column', () => {
  const wide = shown(addLogLines(liveWork(), { text: 'Wave work, cycle 1', task: null, at: 0 }), 160, 24).join('\n');
  assert.match(
    wide,
    /Read the price {13}task-001 {2}working {2}2m 05s {3}worker-00000001 {5}\$0\.12 of \$1\.00 {2}edits/,
  );
  assert.match(wide, /── Session ─+ │ ── Read the price · task-001/);
  assert.match(wide, /\d\d:\d\d Wave work, cycle 1 +│ {3}edits src\/1\.ts/);
});

test('CLI-4: 40 columns and 12 lines hold tasks, a stream and the way to the keys', () => {
  assert.equal(shown(liveWork(), 40, 12), [
    ' Add prices                         work',
    '▸─ Tasks · 1/6 done, 2 on, 1 failed, 2…',
    '▸◐ Read the price  working  2m 05s',
    ' ◐ Show the price  judging  2m 05s',
    ' ◉ Sort by price   passed   1m 01s',
    '  … 3 below · / filters',
    '── Read the price · task-001 · working…',
    '  edits src/1.ts',
    ' 2m 05s · 2 agents · $1.86 of $… ? help',
  ]);
});

test('S3: setup and checks have rows with their clock and the last line that they printed', () => {
  const check = { event: 'check', commit: '1a2b3c4d5e6f', exit_code: null, state: 'started' } as const;
  const begun = after(
    liveOf(liveTask(1, { title: 'Read the price', status: 'claimed' })),
    { event: 'wave-started', wave: 'work', cycle: 1 },
    { ...check, id: 'c1', about: 'setup of the base', command: 'npm ci' },
    { ...check, id: 'c2', about: 'setup of task-001', command: 'npm ci' },
  );
  assert.match(
    shown(begun).join('\n'),
    /◐ setup of the base +setup {2}2m 05s {3}npm ci\n ◐ Read the price +task-001 {2}setup {2}2m 05s/,
  );
  const checks = begun.view.checks.map((one) => ({ ...one, output: 'one\nfetching 3 of 12\n' }));
  const printing = { ...begun, view: { ...begun.view, checks: checks.slice(1) } };
  assert.match(shown(printing).join('\n'), /◐ Read the price .* fetching 3 of 12 {2}\(npm ci\)/);
  assert.match(
    shown(press(printing, 'enter')).join('\n'),
    /Read the price · task-001 · setup · 2m 05s · npm ci ─+\n {2}one\n {2}fetching 3/,
  );
  const over = after(begun, { ...check, id: 'c1', about: null, command: 'npm ci', exit_code: 0, state: 'ended' });
  assert.not.match(shown(over).join('\n'), 'the base');
});

test('a silent agent is not at its start for ever, and one that is quiet for long is named so', () => {
  const begun = after(liveOf(liveTask(1)), startAgent(1));
  assert.match(shown(begun).join('\n'), 'no output yet');
  const stalled = { event: 'agent-stalled', agent: 'worker-00000001', task: 'task-001', quiet_ms: 9 } as const;
  assert.match(shown(after(begun, doAction(1, 'reads a.ts'), stalled)).join('\n'), 'no activity since: reads a.ts');
  assert.not.match(shown(after(begun, stalled, doAction(1, 'goes on'))).join('\n'), 'no activity');
});

test('a service that says to wait, conflicts ahead, and no more agents stand above the status bar', () => {
  const until = '2026-02-06T14:35:00.000Z';
  const paused = after(liveWork(), { event: 'paused', adapter: 'claude', until, why: 'rate limit' });
  assert.match(shown(paused).join('\n'), /\n claude waits until 14:35 UTC\n Wave work/);
  assert.not.match(shown(after(paused, { event: 'resumed', adapter: 'claude' })).join('\n'), 'waits until');
  assert.match(shown({ ...liveWork(), isWindingDown: true }).join('\n'), 'No more agents start in this cycle.');
});

test('no line is wider and no frame other than as high as the terminal, whatever it shows', () => {
  const odd = [
    '添加中文界面并翻译所有的错误信息'.repeat(13),
    'ترجمة واجهة المستخدم '.repeat(10),
    '👩‍👩‍👧‍👦 👨🏽‍💻 '.repeat(40),
    hostile.repeat(9),
  ];
  const tasks = odd.map((title, index) =>
    liveTask(index + 1, { title, because: [hostile], status: index === 3 ? 'failed' : 'claimed' }),
  );
  const many = Array.from({ length: 200 }, (_, index) => liveTask(index + 5, { id: `task-${index + 5}` }));
  const { agents } = liveWork().view;
  const view = { ...liveSession([...tasks, ...many], { title: odd.join(' ') }), agents };
  let state = after(
    { ...liveWork(), view },
    doAction(1, `${'漢字'.repeat(200)} ${hostile}`),
    doAction(2, 'x'.repeat(1_000_000), 'validator'),
  );
  state = {
    ...addLogLines(state, { text: odd.join('\n'), task: 'task-001', at: 0 }),
    stream: { agent: 'worker-00000001', lines: odd.map((text) => ({ kind: 'said', text })) },
  };
  const diff = {
    ...state,
    screen: { ...state.screen, diff: { task: 'task-001', lines: odd }, isLarge: true, focus: 'stream' },
  } as const;
  const screens = [
    ...[state, diff, press(state, 'enter'), press(state, 'char:?'), press(state, 'char:s'), press(state, 'char:g')],
    ...[press(state, 'char:/'), applyTyping(state, { kind: 'filter', text: hostile }, '漢 '.repeat(50)).state],
    ...[press(state, 'previous'), press(state, 'previous', 'enter'), press(state, 'char:t'), press(state, 'last')],
    { ...state, isWindingDown: true, isStopping: true },
    { ...state, waiting: 'end' as const },
  ];
  for (const screen of screens) {
    for (const width of [20, 40, 72, 130]) {
      for (const height of [1, 3, 8, 16, 40]) {
        const frame = lines(screen, width, height);
        assert.is(frame.length, height);
        const wide = frame.find((line) => textWidth(line) > width);
        assert.is(wide, undefined, `${width}x${height}: ${wide}`);
        assert.ok(frame.every((line) => isHarmless(line)));
      }
    }
  }
});

test('of many tasks those are shown that fit: what is at work first, and always the chosen one', () => {
  const tasks = Array.from({ length: 200 }, (_, index) =>
    liveTask(0, { id: `task-${index}`, title: `Thing ${index}` }),
  );
  const begun = { event: 'agent-started', agent: 'worker-00000001', role: 'worker', task: 'task-150', pid: 1 } as const;
  const state = after(liveOf(...tasks), begun);
  assert.match(shown(state, 99, 12).join('\n'), /▸◐ Thing 150 .*\n ○ Thing 0 /);
  const last = shown(press(state, 'last'), 99, 12).join('\n');
  assert.match(last, /▸○ Thing 199/);
  assert.match(last, /… 19\d above/);
});

test('help is read whole on the lowest and narrowest screen that has all panels', () => {
  const help = shown(press(liveWork(), 'char:?'), 40, 12);
  assert.equal([help.length, help.filter((line) => line.includes('…'))], [12, []]);
  assert.match(help.at(-2) ?? '', /^ {2}q, Ctrl-C {2}stop/);
});

test('without facts, agents and keys there is still a frame', () => {
  const state = after(emptyLiveState, { event: 'wave-started', wave: 'work', cycle: 1 });
  const frame = renderLive(state, { width: 50, height: 10, now: 0, style, hasKeys: false });
  assert.is(frame.length, 10);
  assert.match(frame.join('\n'), 'Tasks');
  assert.not.match(frame.join('\n'), '? help');
});

test('what is opened fills the screen, in its own words where it printed nothing', () => {
  const opened = (...keys: readonly LiveKey[]): string => shown(press(liveWork(), ...keys, 'enter')).join('\n');
  assert.match(
    opened('down', 'down', 'down'),
    /▸─ Write JSON · task-004 · failed ─+\n {2}The script ended with exit code 3\./,
  );
  assert.match(opened('last'), /▸─ Document it · task-006 · ready ─+\n {2}It can start as soon as an agent is free\./);
  assert.match(
    opened('down', 'down'),
    /▸─ Sort by price · task-003 · passed · worker-00000003 · 1m 01s ─+\n {2}It printed nothing\./,
  );
  assert.not.match(opened(), 'Tasks');
});

test.run();
