import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GlobalOptions } from '../../../lib/domain/view-models/command.ts';
import type { RunEvent, RunEventBody } from '../../../lib/domain/view-models/run-event.ts';
import { renderEvent } from '../../../lib/ui/render/render-event.ts';
import { createOutput } from '../../../lib/ui/terminal/output.ts';
import { createStyle, outputWidth } from '../../../lib/ui/text/style.ts';
import { makeFakeIo } from '../../support/fake-io.ts';
import { at, commitA, hostile, isHarmless, plainStyle } from '../samples.ts';

const globals: GlobalOptions = {
  config: null,
  json: false,
  plain: false,
  quiet: false,
  color: null,
  dryRun: false,
  decisionsFile: null,
  session: null,
  debug: false,
};
const now = (): Date => new Date(at);

/** One of each kind, and what it reads like. */
const lines: readonly (readonly [RunEventBody, string, 'news' | 'info'])[] = [
  [
    { event: 'session-started', session: 'ses-1', objective: 'Add\nlogin', base_branch: 'main' },
    'Session ses-1 on main: Add login',
    'info',
  ],
  [{ event: 'notice', level: 'info', message: 'Two agents at most.' }, 'Two agents at most.', 'info'],
  [
    {
      event: 'notice',
      level: 'warning',
      message: 'No sandbox.',
      details: ['bwrap is missing', 'so is setpriv'],
    },
    'warning: No sandbox. (bwrap is missing; so is setpriv)',
    'news',
  ],
  [{ event: 'canary', result: 'denied', details: 'Write' }, 'Canary: the forbidden call was denied (Write)', 'info'],
  [{ event: 'canary', result: 'not-needed', details: '' }, 'Canary: not needed', 'info'],
  [
    { event: 'canary', result: 'failed', details: 'Write' },
    'Canary: the forbidden call was not denied (Write)',
    'news',
  ],
  [{ event: 'wave-started', wave: 'work', cycle: 2 }, 'Wave work, cycle 2', 'info'],
  [{ event: 'wave-ended', wave: 'work', cycle: 2, summary: '3 done' }, 'Wave work ended: 3 done', 'info'],
  [{ event: 'plan-proposed', tasks: 3, waves: 1 }, 'Plan proposed: 3 tasks in 1 step', 'info'],
  [{ event: 'plan-invalid', problems: ['a waits for b', 'b for a'] }, 'Plan invalid: a waits for b; b for a', 'news'],
  [
    { event: 'task-changed', task: 'task-001', from: 'pending', to: 'claimed', why: 'ready' },
    'task-001: pending -> claimed (ready)',
    'info',
  ],
  [
    { event: 'agent-started', agent: 'worker-1', role: 'worker', task: 'task-001', pid: 7 },
    'worker-1 started on task-001, pid 7',
    'info',
  ],
  [
    { event: 'agent-activity', agent: 'worker-1', text: 'Edit a.ts', tokens: 1200, cost_usd: 0.031 },
    'worker-1: Edit a.ts ($0.03, 1,200 tokens)',
    'info',
  ],
  [
    {
      event: 'agent-ended',
      agent: 'planner-1',
      role: 'planner',
      task: null,
      outcome: 'done',
      cost_usd: 0,
      tokens: 0,
      duration_ms: 65_000,
    },
    'planner-1 ended after 1m 05s: done ($0.00)',
    'info',
  ],
  [
    {
      event: 'task-failed',
      task: 'task-001',
      failure: {
        kind: 'violation',
        message: 'It left its scope.',
        details: ['path-blocked .env'],
        retryable: true,
      },
      will_retry: true,
    },
    'task-001 failed: violation: It left its scope. (path-blocked .env) Another attempt follows.',
    'news',
  ],
  [
    {
      event: 'task-failed',
      task: 'task-001',
      failure: {
        kind: 'violation',
        message: 'one, and 4 more broken rules',
        details: ['one', 'two', 'three', 'four', 'five'],
        retryable: true,
      },
      will_retry: false,
    },
    'task-001 failed: violation: one, and 4 more broken rules (two; three; 2 more: git flame show task-001)',
    'news',
  ],
  [
    { event: 'verdict', task: 'task-001', commit: commitA, status: 'pass', notes: '', by: 'diagnostics' },
    'task-001: pass at aaaaaaaaaa by diagnostics',
    'info',
  ],
  [
    { event: 'verdict', task: 'task-001', commit: commitA, status: 'fail', notes: 'no tests', by: 'Lea' },
    'task-001: fail at aaaaaaaaaa by Lea: no tests',
    'news',
  ],
  [
    {
      event: 'changeset-built',
      session: 'ses-20260206-143000-1a2b',
      changeset: '1-auth',
      tasks: ['task-001', 'task-002'],
      commit: commitA,
      red: true,
    },
    'Changeset 1-auth built at aaaaaaaaaa: task-001, task-002, diagnostics fail',
    'news',
  ],
  [
    { event: 'changeset-decided', changeset: '1-auth', decision: 'rejected', reason: 'no tests' },
    'Changeset 1-auth: rejected (no tests)',
    'info',
  ],
  [
    { event: 'landed', changeset: '1-auth', commit: commitA, branch: 'main' },
    'Changeset 1-auth landed on main as aaaaaaaaaa',
    'info',
  ],
  [
    { event: 'landing-refused', changeset: '1-auth', why: 'main moved' },
    'Changeset 1-auth did not land: main moved',
    'news',
  ],
  [{ event: 'gate', gate: 'plan', decision: 'approve' }, 'Decided at the plan gate: approve', 'info'],
  [{ event: 'script', hook: 'post_plan', exit_code: 0, output: 'x' }, 'Script post_plan ended with 0', 'info'],
  [
    { event: 'script', hook: 'post_plan', exit_code: 3, output: 'a\nb\n' },
    'warning: Script post_plan ended with 3: b',
    'news',
  ],
  [{ event: 'script', hook: 'post_plan', exit_code: null, output: '' }, 'warning: Script post_plan was killed', 'news'],
  [
    {
      event: 'session-ended',
      session: { id: 'ses-1', state: 'ended', cost_usd: 1.5, tokens: 0 },
      tasks: [{ status: 'merged' }, { status: 'merged' }, { status: 'failed' }],
    },
    'Session ses-1 ended: 2 merged, 1 failed ($1.50)',
    'news',
  ],
];

test('each event is one line on stderr', () => {
  const fake = makeFakeIo();
  const output = createOutput(fake.io, globals, { now });
  for (const [body] of lines) output.events.emit(body);
  assert.equal(
    fake.stderr().trimEnd().split('\n'),
    lines.map(([, text]) => text),
  );
  assert.is(fake.stdout(), '');
});

test('--quiet leaves warnings, failures and the end', () => {
  const fake = makeFakeIo();
  const output = createOutput(fake.io, { ...globals, quiet: true }, { now });
  for (const [body] of lines) output.events.emit(body);
  output.info('something');
  output.hint('git flame status');
  output.warn('careful');
  const news = lines.filter(([, , level]) => level === 'news').map(([, text]) => text);
  assert.equal(fake.stderr().trimEnd().split('\n'), [...news, 'warning: careful']);
});

test('--json: every line of stdout is JSON, events first say what and when', () => {
  const fake = makeFakeIo({ isTTY: true });
  const output = createOutput(fake.io, { ...globals, json: true, color: true }, { now });
  for (const [body] of lines) output.events.emit(body);
  output.result('text for people');
  output.info('something');
  output.hint('git flame status');
  output.json({ session: null });
  const printed = fake.stdout().trimEnd().split('\n');
  const values = printed.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(
    values.slice(0, -1),
    lines.map(([body]) => ({ at, ...body })),
  );
  assert.ok(printed[0]?.startsWith(`{"event":"session-started","at":"${at}","session":`));
  assert.equal(values.at(-1), { schema_version: 1, session: null });
  assert.is(fake.stderr(), '');
});

test('without --json the text is the result', () => {
  const fake = makeFakeIo();
  const output = createOutput(fake.io, globals, { now });
  output.json({ a: 1 });
  output.result('text');
  output.result('more\n');
  assert.is(fake.stdout(), 'text\nmore\n');
});

test('JSON on a terminal cannot move the cursor and keeps its value', () => {
  const fake = makeFakeIo();
  const text = `${hostile}\u{e0041}`;
  createOutput(fake.io, { ...globals, json: true }, { now }).json({ text });
  assert.ok(isHarmless(fake.stdout()), fake.stdout());
  assert.is((JSON.parse(fake.stdout()) as { text: string }).text, text);
});

test('hostile text in events is shown, not obeyed', () => {
  const body: RunEventBody = { event: 'notice', level: 'warning', message: hostile, details: [hostile] };
  const line = renderEvent({ at, ...body } as RunEvent, plainStyle()) ?? '';
  assert.ok(isHarmless(line), JSON.stringify(line));
  assert.not.match(line, /\n/);
});

test('CLI-2: colour by option, NO_COLOR, FORCE_COLOR, git, terminal, in this order', () => {
  const decide = (
    color: boolean | null,
    env: Record<string, string>,
    gitColor: boolean | null,
    isTTY: boolean,
    plain = false,
  ): boolean => {
    const { io } = makeFakeIo({ isTTY, env });
    return createStyle(io.stdout, io.env, { color, plain, gitColor }).hasColor;
  };
  assert.is(decide(true, { NO_COLOR: '1' }, false, false), true);
  assert.is(decide(false, { FORCE_COLOR: '1' }, true, true), false);
  assert.is(decide(null, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, true), false);
  assert.is(decide(null, { NO_COLOR: '', FORCE_COLOR: '1' }, false, false), true);
  assert.is(decide(null, { FORCE_COLOR: '0' }, true, true), false);
  assert.is(decide(null, {}, false, true), false);
  assert.is(decide(null, {}, true, false), true);
  assert.is(decide(null, {}, null, true), true);
  assert.is(decide(null, {}, null, false), false);
  assert.is(decide(null, { TERM: 'dumb' }, null, true), false);
  assert.is(decide(null, { GIT_PAGER_IN_USE: 'true' }, null, false), true);
  assert.is(decide(null, { FORCE_COLOR: '1' }, null, true, true), false);
  assert.is(decide(true, {}, null, false, true), true);
});

test('widths: the terminal, COLUMNS, else no wrapping', () => {
  const width = (options: Parameters<typeof makeFakeIo>[0]): number => {
    const { io } = makeFakeIo(options);
    return outputWidth(io.stdout, io.env);
  };
  assert.is(width({ isTTY: true, columns: 132 }), 132);
  assert.is(width({ isTTY: true, columns: 5 }), 20);
  assert.is(width({ isTTY: true, columns: 0 }), 80);
  assert.is(width({ env: { COLUMNS: '50' } }), 50);
  assert.is(width({ env: { COLUMNS: 'many' } }), Number.POSITIVE_INFINITY);
});

test('CFG-7: changed values stand below each other at a terminal, in a log on one line', () => {
  const details = ['limits.max_retries: 2 -> 3', 'validation.diagnostics: (none) -> npm test'];
  const event: RunEvent = { event: 'notice', at, level: 'warning', message: 'It has changed.', details };
  assert.is(
    renderEvent(event, plainStyle(60)),
    'warning: It has changed.\n  limits.max_retries: 2 -> 3\n  validation.diagnostics: (none) -> npm test',
  );
  assert.is(renderEvent(event, plainStyle()), `warning: It has changed. (${details.join('; ')})`);
  const narrow = renderEvent(event, plainStyle(40)) ?? '';
  assert.match(narrow, '  validation.diagnostics:\n    - (none)\n    + npm test');
});

test('CLI-4: an event is broken between words on a narrow terminal, and its colours stay whole', () => {
  const { io, stderr } = makeFakeIo({ isTTY: true, columns: 40 });
  const output = createOutput(io, { ...globals, color: true }, { now });
  const why = 'the agent ended without a change inside its scope';
  output.events.emit({ event: 'task-changed', task: 'task-001', from: 'pending', to: 'blocked', why });
  output.events.emit({
    event: 'landed',
    changeset: '1-auth',
    commit: commitA,
    branch: `b/${'x'.repeat(50)}`,
  });
  assert.equal(stderr().split('\n'), [
    'task-001: pending -> blocked (the agent',
    '  ended without a change inside its',
    '  scope)',
    '\u001b[32mChangeset 1-auth landed on',
    `  b/${'x'.repeat(50)}`,
    '  as aaaaaaaaaa\u001b[39m',
    '',
  ]);
});

test('spending without anything done is no line', () => {
  const spent = { event: 'agent-activity', agent: 'worker-1', text: ' ', tokens: 110, cost_usd: 0.00045 };
  assert.is(renderEvent({ at, ...spent } as RunEvent, plainStyle()), null);
});

test.run();
