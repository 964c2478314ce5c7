import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RunEventBody } from '../../../lib/domain/view-models/run-event.ts';
import { logOutputInView } from '../../../lib/ui/live/live-output.ts';
import { LiveView } from '../../../lib/ui/live/live-view.ts';
import type { Output } from '../../../lib/ui/terminal/output.ts';
import { createOutput } from '../../../lib/ui/terminal/output.ts';
import { type FakeIo, makeFakeIo } from '../../support/fake-io.ts';
import { until } from '../../support/until.ts';
import { plainStyle } from '../samples.ts';
import { liveAgent, liveSession, liveTask, startAgent } from './live-samples.ts';

interface Shown {
  readonly fake: FakeIo;
  readonly view: LiveView;
  readonly output: Output;
}

const globals = {
  ...{ config: null, json: false, plain: false, quiet: false, color: false, dryRun: false },
  ...{ decisionsFile: null, session: null, debug: false },
};

/** A view that is shown, with one agent at work. */
async function show(readDiff: () => Promise<string> = async () => '+new words'): Promise<Shown> {
  const fake = makeFakeIo({ isTTY: true, columns: 80 });
  const view = new LiveView(fake.io, {
    style: plainStyle(),
    look: async () => ({
      ...liveSession([liveTask(1, { status: 'claimed' })]),
      agents: [liveAgent('worker-00000001', 'worker', 'task-001')],
    }),
    follow: async () => true,
    readDiff,
    act: async () => null,
  });
  const output = logOutputInView(createOutput(fake.io, globals), view);
  output.events.emit({ event: 'wave-started', wave: 'work', cycle: 1 });
  output.events.emit(startAgent(1));
  await until('the view is shown', () => fake.stderr().includes('\u001b[?1049h'));
  return { fake, view, output };
}

/** What is on the person's own screen. */
function ownScreen(fake: FakeIo): string {
  return fake.stderr().replace(/\u001b\[\?1049h[\s\S]*?(?:\u001b\[\?1049l|$)/g, '');
}

test('what is said while the view is shown or lent comes after it, whole and in order', async () => {
  const { fake, view, output } = await show();
  output.info('one');
  assert.not.match(ownScreen(fake), 'one');
  const giveBack = view.lend();
  assert.match(ownScreen(fake), /Wave work, cycle 1\none\n$/);
  fake.io.stderr.write('the editor\n');
  output.info('two');
  output.warn('three');
  assert.match(ownScreen(fake), /the editor\n$/);
  giveBack();
  assert.match(ownScreen(fake), /the editor\ntwo\nwarning: three\n$/);
  await view.close();
  output.info('four');
  assert.match(ownScreen(fake), /four\n$/);
});

test("the log has one line for the end of an agent's work: what became of its task", async () => {
  const { fake, view, output } = await show();
  const ended = { ...startAgent(1), event: 'agent-ended', outcome: 'ended', duration_ms: 9 } as const;
  output.events.emit({ ...ended, cost_usd: 0, tokens: 0 } as RunEventBody);
  output.events.emit({ event: 'task-changed', task: 'task-001', from: 'claimed', to: 'done', why: '' });
  await until('the change is shown', () => fake.stderr().includes('claimed -> done'));
  assert.not.match(fake.stderr(), 'ended on');
  await view.close();
  assert.match(ownScreen(fake), /worker-00000001 ended on task-001 .*\ntask-001: claimed -> done/);
});

test('the view stays between two waves while the session is read, and goes with the review', async () => {
  const fake = makeFakeIo({ isTTY: true, columns: 80 });
  let looks = 0;
  const view = new LiveView(fake.io, {
    style: plainStyle(),
    look: async () => {
      looks += 1;
      return liveSession([liveTask(1, { status: 'done' })]);
    },
    follow: async () => true,
    readDiff: async () => '',
    act: async () => null,
  });
  const { events } = logOutputInView(createOutput(fake.io, globals), view);
  events.emit({ event: 'wave-started', wave: 'work', cycle: 1 });
  await until('the view is shown', () => fake.stderr().includes('\u001b[?1049h'));
  events.emit({ event: 'wave-ended', wave: 'work', cycle: 1, summary: '' });
  const before = looks;
  await until('the session is read again', () => looks > before);
  await new Promise((resolve) => setImmediate(resolve));
  assert.not.match(fake.stderr(), '\u001b[?1049l');
  events.emit({ event: 'wave-started', wave: 'review', cycle: 1 });
  await until('the screen is given back', () => fake.stderr().includes('\u001b[?1049l'));
  await view.close();
});

test('a check that starts without an event is shown', async () => {
  const fake = makeFakeIo({ isTTY: true, columns: 80 });
  let hasStarted = false;
  let looks = 0;
  const check = { id: 'command-1', command: 'npm test', about: 'changeset api', output: '', before: [] };
  const view = new LiveView(fake.io, {
    style: plainStyle(),
    look: async () => {
      looks += 1;
      const session = liveSession([liveTask(1, { status: 'done' })]);
      return hasStarted ? { ...session, checks: [{ ...check, started_at: new Date(0).toISOString() }] } : session;
    },
    follow: async () => true,
    readDiff: async () => '',
    act: async () => null,
  });
  const { events } = logOutputInView(createOutput(fake.io, globals), view);
  events.emit({ event: 'wave-started', wave: 'merge', cycle: 1 });
  await until('the session is read', () => looks > 0);
  hasStarted = true;
  await until('the check is shown', () => fake.stderr().includes('npm test'));
  await view.close();
});

test('a question waits while the person looks into something, and comes when they are back', async () => {
  const { fake, view } = await show();
  fake.type('?');
  await until('help is shown', () => fake.stderr().includes('any key'));
  let isLent = false;
  const lent = view.lendToQuestion(undefined).then((giveBack) => {
    isLent = true;
    return giveBack;
  });
  fake.type('x');
  fake.type('\r');
  const giveBack = await lent;
  assert.ok(isLent);
  giveBack();
  await view.close();
});

test('a question that is answered elsewhere takes nothing from the person, and a stop ends the waiting', async () => {
  const { fake, view } = await show();
  fake.type('\r');
  await until('its stream fills the screen', () => /Esc back/.test(fake.stderr()));
  const answered = new AbortController();
  const asked = view.lendToQuestion(answered.signal);
  await until('it waits', () => fake.stderr().includes('A question waits for you'));
  answered.abort(new Error('It was answered elsewhere.'));
  const reason = await asked.then(
    () => 'lent',
    (error: Error) => error.message,
  );
  assert.is(reason, 'It was answered elsewhere.');
  assert.not.match(fake.stderr(), '\u001b[?1049l');
  const closed = view.close();
  await until('the end waits too', () => fake.stderr().includes('The run has ended'));
  fake.interrupt(new Error('stopped'));
  await closed;
  assert.match(fake.stderr(), '\u001b[?1049l');
});

test('keys change what is seen: a diff in place of the stream', async () => {
  const { fake, view } = await show();
  await until('the task is known', () => fake.stderr().includes('Do thing 1'));
  fake.type('d');
  await until('its diff is shown', () => fake.stderr().includes('+new words'));
  fake.type('\u001b');
  await view.close();
});

test('a diff that comes when the person has turned to something else does not take the screen', async () => {
  let arrive = (_: string): void => undefined;
  const diff = new Promise<string>((resolve) => {
    arrive = resolve;
  });
  const { fake, view } = await show(() => diff);
  await until('the task is known', () => fake.stderr().includes('Do thing 1'));
  fake.type('d');
  fake.type('?');
  await until('help is shown', () => fake.stderr().includes('any key'));
  arrive('+new words');
  await diff;
  fake.type('x');
  fake.type('\t');
  fake.type('\u000c');
  await view.close();
  assert.not.match(fake.stderr(), '+new words');
});

test.run();
