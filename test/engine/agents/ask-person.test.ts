import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentQuestionReply } from '../../../lib/domain/agent-messages.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseSessionId } from '../../../lib/domain/ids.ts';
import type { AgentAnswer, AskedAgentQuestions } from '../../../lib/domain/ports/gates.ts';
import type { RunEventBody } from '../../../lib/domain/view-models/run-event.ts';
import { makeAskPersonHandler } from '../../../lib/engine/agents/ask-person.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const key = `ghp_${'a1B2c3D4e5F6g7H8i9'.repeat(2)}`;
const task = { id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/a.txt'] };

async function openBench(
  question: (asked: AskedAgentQuestions) => Promise<AgentAnswer>,
  { config = {}, words = 'Which one?' }: { readonly config?: object; readonly words?: string } = {},
) {
  const bench = await openTestWorkshop({
    tasks: [task],
    config: { ...config },
    gates: { question },
    agent: () => {
      throw new Error('none is started');
    },
  });
  const { context } = bench;
  const session = parseSessionId('ses-20260206-143000-1a2b');
  const job = { ...{ id: 'worker-1a2b3c4d', role: 'worker' as const, adapter: 'claude' }, session };
  const never = new AbortController().signal;
  const untilOver = { ...context.machine, sleep: () => new Promise<void>(() => undefined) };
  const asker = makeAskPersonHandler({ ...context, machine: untilOver }, { ...job, task: null }).ask;
  const ask = async (): Promise<AgentQuestionReply | undefined> =>
    asker?.([{ question: words, options: [], isSeveral: false }], never);
  const states = (): readonly string[] =>
    bench.events.flatMap((event: RunEventBody) => (event.event === 'question' ? [event.state] : []));
  return { ...bench, ask, asker, session, states };
}

test('DSK-6 permissions.blocked_tools: an agent that may not ask has no way to', async () => {
  const config = { permissions: { blocked_tools: ['AskUserQuestion'] } };
  const { asker } = await openBench(async () => ({ kind: 'proceed' }), { config });
  assert.is(asker, undefined);
  assert.type((await openBench(async () => ({ kind: 'proceed' }))).asker, 'function');
});

test('DSK-6 an answer that can not be recorded is told all the same, and the person is warned', async () => {
  const bench = await openBench(async () => ({ kind: 'answer', answers: ['this'] }));
  bench.context.store.transact = async () => {
    throw new Error('the remote is out of reach');
  };
  const failing = makeAskPersonHandler(
    { ...bench.context },
    { id: 'worker-1a2b3c4d', role: 'worker', adapter: 'claude', session: bench.session, task: null },
  ).ask;
  const reply = await failing?.(
    [{ question: 'Which one?', options: [], isSeveral: false }],
    new AbortController().signal,
  );
  assert.equal(reply, { kind: 'answer', answers: ['this'] });
  assert.equal(bench.states(), ['asked', 'answered']);
  assert.match(JSON.stringify(bench.events), 'could not be recorded: the remote is out of reach');
});

test('DSK-6 a gate that throws ends the question, and bad input is told to the person', async () => {
  const bench = await openBench(async () => {
    throw new FlameError({
      kind: 'usage',
      code: 'bad-answer',
      message: '2 answers are needed.',
      hints: ['x'],
    });
  });
  assert.is((await bench.ask())?.kind, 'proceed');
  assert.equal(bench.states(), ['asked', 'unanswered']);
  assert.match(JSON.stringify(bench.events), 'got no answer: 2 answers are needed.');
});

test('DSK-6 what looks like a credential is told to the agent and written down nowhere', async () => {
  const bench = await openBench(async () => ({ kind: 'answer', answers: [key] }));
  assert.equal(await bench.ask(), { kind: 'answer', answers: [key] });
  const asked = await openBench(async () => ({ kind: 'answer', answers: ['yes'] }), {
    words: `Is it ${key}?`,
  });
  await asked.ask();
  for (const { events, context } of [bench, asked]) {
    const stored = JSON.stringify([events, (await context.store.snapshot()).sessions]);
    assert.not.match(stored, key);
    assert.match(stored, 'removed');
  }
});

test('DSK-6 all questions of an agent together have the time of one', async () => {
  let [laid, ahead] = [0, 0];
  const bench = await openBench(
    async (asked) => {
      laid += 1;
      asked.laid?.();
      ahead += 3_000_000;
      return { kind: 'proceed' };
    },
    { config: { limits: { question_timeout: '90m' } } },
  );
  const { now } = performance;
  performance.now = () => now.call(performance) + ahead;
  try {
    await bench.ask();
    await bench.ask();
    assert.is(laid, 2);
    assert.match(JSON.stringify(await bench.ask()), 'No answer came within 1h 30m.');
    assert.is(laid, 2);
  } finally {
    performance.now = now;
  }
});

test.run();
