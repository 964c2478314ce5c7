import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toServicePauseDecision } from '../../../lib/core/admission/make-decisions.ts';
import type { Failure } from '../../../lib/domain/failure.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { AgentRequest } from '../../../lib/domain/ports/agent-port.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { until } from '../../support/until.ts';
import { closeWorkshops, openTestWorkshop, startOfTime } from '../../support/workshop.ts';

test.after(closeWorkshops);

const hour = 3_600_000;
const limited = (until?: string): Failure => ({
  kind: 'rate-limit',
  message: 'The model API limits the rate of requests.',
  details: [],
  retryable: true,
  ...(until === undefined ? {} : { until }),
});
const at = (ms: number): string => new Date(startOfTime + ms).toISOString();
const tasks = ['a', 'b', 'c'].map((id, index) => ({
  ...{ id, title: `Do ${id}`, description: 'Do it.', priority: index + 1, file_locks: [`src/${id}.txt`] },
}));

function work({ worktree, task }: AgentRequest): void {
  const file = join(worktree.path, `src/${task}.txt`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `work on ${task}\n`);
}

test('LIF-3 Ctrl-C while a wave waits for the network says so, and of no agents that ended', async () => {
  const message = 'The model API could not be reached.';
  const bench = await openTestWorkshop({
    tasks,
    agent: () => ({ failure: { kind: 'unreachable', message, details: [], retryable: true } }),
  });
  const ctrlC = new AbortController();
  const context = {
    ...bench.context,
    signal: ctrlC.signal,
    machine: { ...bench.context.machine, sleep: untilIdle },
  };
  let waits = 0;
  async function untilIdle(ms: number, signal: AbortSignal): Promise<void> {
    waits += 1;
    // Shorter ones are looks at what runs, and bounds of turns.
    const isPause = ms > 5_000 && bench.started.length > 0;
    if (!isPause) return bench.context.machine.sleep(ms, signal);
    // What ended a moment before is still written, and may end this wait: the next one is as good.
    await until('no task is held, or the wait is over', async () => {
      const { tasks: now } = await viewSession(bench.context, bench.session);
      return signal.aborted || now.every(({ status }) => status === 'pending');
    });
    if (!signal.aborted) ctrlC.abort();
  }
  const error = await runWorkWave(context, bench.session).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof FlameError && waits > 0);
  assert.is(error.code, 'interrupted');
  assert.match(error.message, /^Stopped while it waited: The model API could not be reached\./);
  assert.not.match(error.message, /agents have ended/);
  assert.equal(error.hints, ['git flame run']);
});

test('LIF-5 a rate limit pauses the wave until it says it ends: nobody starts before, and no retry is used up', async () => {
  const bench = await openTestWorkshop({
    tasks,
    config: { concurrency: { development: 1 } },
    agent: (request, attempt) => {
      if (request.task === 'a' && attempt === 1) return { failure: limited(at(5 * hour)) };
      work(request);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  assert.equal(
    bench.started.map(({ task, at }) => [task, at - startOfTime]),
    [
      ['a', 0],
      ['a', 5 * hour],
      ['b', 5 * hour],
      ['c', 5 * hour],
    ],
  );
  const told = bench.events.filter(({ event }) => event === 'paused' || event === 'resumed');
  assert.equal(told, [
    { event: 'paused', adapter: 'claude', until: at(5 * hour), why: limited().message },
    { event: 'resumed', adapter: 'claude' },
  ]);
  const snapshot = await bench.context.store.snapshot();
  assert.equal(
    snapshot.tasksOf(bench.session).map(({ status, retry_count }) => [status, retry_count]),
    [0, 1, 2].map(() => ['done', 0]),
  );
});

test('LIF-5 scripts and other services go on while one is paused', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.map((task) => (task.id === 'b' ? { ...task, adapter: 'exec' } : task)),
    config: { concurrency: { development: 1 } },
    agent: (request, attempt) => {
      if (request.task === 'a' && attempt === 1) return { failure: limited(at(hour)) };
      work(request);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  assert.equal(
    bench.started.map(({ task, at }) => [task, at - startOfTime]),
    [
      ['a', 0],
      ['b', 0],
      ['a', hour],
      ['c', hour],
    ],
  );
});

test('LIF-5 a limit without an end is waited for by backoff, longer each time', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request, attempt) => {
      if (attempt <= 3) return { failure: limited() };
      work(request);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  assert.equal(
    bench.started.map(({ at }) => (at - startOfTime) / 1_000),
    [0, 4, 12, 28],
  );
});

test('LIF-5 a new start waits too: the pause stands in the note of the session', async () => {
  const bench = await openTestWorkshop({
    tasks,
    config: { concurrency: { development: 1 } },
    agent: (request, attempt) => {
      if (request.task === 'a' && attempt === 1) throw new Error('killed');
      work(request);
      return {};
    },
  });
  const { store, decided } = bench.context;
  const pauses = [{ adapter: 'claude', until: at(hour), why: 'It said so.' }];
  await store.transact(({ sessions: [session] }) => {
    if (session === undefined) return null;
    decided.record(pauses.map((pause) => toServicePauseDecision(session, pause)));
    return { changes: [{ subject: 'session: pauses', session: { ...session, pauses } }], actor: 'test' };
  });
  await runWorkWave(bench.context, bench.session).catch(() => undefined);
  assert.equal(
    bench.started.map(({ at }) => at - startOfTime),
    [hour],
  );
  assert.is(bench.events.find(({ event }) => event === 'paused')?.event, 'paused');
});

test('LIF-5 a validator that is limited is started again when the limit ends, without a question', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request, attempt) => {
      if (request.role === 'worker') {
        work(request);
        return {};
      }
      if (attempt <= 3) return { failure: limited(at(attempt * hour)), cost_usd: 0.25, tokens: 10 };
      return { answer: { status: 'pass', notes: 'Good.', issues: [] }, cost_usd: 0.25, tokens: 10 };
    },
  });
  await runWorkWave(bench.context, bench.session);
  await runValidateWave(bench.context, bench.session);
  const validators = bench.started.filter(({ role }) => role === 'validator');
  assert.equal(
    validators.map(({ at }) => (at - startOfTime) / hour),
    [0, 2, 3],
  );
  const { sessions } = await bench.context.store.snapshot();
  const runs = sessions[0]?.agents.filter(({ role }) => role === 'validator') ?? [];
  assert.equal(
    runs.map(({ cost_usd, tokens, outcome }) => ({ cost_usd, tokens, outcome })),
    [{ cost_usd: 0.75, tokens: 30, outcome: 'ended' }],
  );
  assert.equal(sessions[0]?.spend.validator, { runs: 3, cost_usd: 0.75, tokens: 30 });
});

const offline: Failure = {
  kind: 'unreachable',
  message: "The model API can't be reached (ENOTFOUND api.anthropic.com).",
  details: [],
  retryable: true,
};

test('LIF-5 without a network it is tried again, the waits growing to a minute, and no retry is used up', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request, attempt) => {
      if (attempt <= 7) return { failure: offline };
      work(request);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  const starts = bench.started.map(({ at }) => at - startOfTime);
  const waits = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
  assert.is(waits.length, 7);
  assert.ok(
    waits.every((wait, index) => wait <= 60_000 && wait >= (waits[index - 1] ?? 0)),
    `${waits}`,
  );
  assert.is(waits.at(-1), 60_000);
  const [paused] = bench.events.filter(({ event }) => event === 'paused');
  assert.match(JSON.stringify(paused), /ENOTFOUND api\.anthropic\.com\). It is tried again for up to 10 minutes/);
  const snapshot = await bench.context.store.snapshot();
  assert.equal(
    snapshot.tasksOf(bench.session).map(({ status, retry_count }) => [status, retry_count]),
    [['done', 0]],
  );
});

test('LIF-5 after ten minutes without a network the run ends, with its tasks waiting and no retry used up', async () => {
  const bench = await openTestWorkshop({ tasks: tasks.slice(0, 1), agent: () => ({ failure: offline }) });
  const error: unknown = await runWorkWave(bench.context, bench.session).catch((caught: unknown) => caught);
  assert.instance(error, FlameError);
  const { kind, code, message, hints } = error as FlameError;
  assert.equal([kind, code], ['refused', 'model-unreachable']);
  assert.match(message, /ENOTFOUND.*tried again for 10 minutes and stopped\. All work so far is kept/);
  assert.match(hints.join(), /git flame run/);
  assert.is((bench.started.at(-1)?.at ?? 0) - startOfTime, 600_000);
  const [task] = (await bench.context.store.snapshot()).tasksOf(bench.session);
  assert.is(task?.retry_count, 0);
  assert.is.not(task?.status, 'failed');
});

test('LIF-5 who was reached once more has ten minutes again', async () => {
  const bench = await openTestWorkshop({
    tasks: tasks.slice(0, 1),
    agent: (request, attempt) => {
      if (attempt === 10) return { failure: limited(at(hour)) };
      if (attempt <= 20) return { failure: offline };
      work(request);
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  assert.is(bench.started.length, 21);
});

for (const [wait, isWaited] of [
  ['always', true],
  ['6h', true],
  ['4h', false],
  ['never', false],
] as const)
  test(`LIF-5 a limit that ends in five hours ${isWaited ? 'is waited for' : 'ends the run'} with limits.wait_for_service: ${wait}`, async () => {
    const bench = await openTestWorkshop({
      tasks,
      config: { concurrency: { development: 1 }, limits: { wait_for_service: wait } },
      agent: (request, attempt) => {
        if (request.task === 'a' && attempt === 1) return { failure: limited(at(5 * hour)) };
        work(request);
        return {};
      },
    });
    const error = await runWorkWave(bench.context, bench.session).catch((thrown: unknown) => thrown);
    const { tasks: now } = await viewSession(bench.context, bench.session);
    const done = now.filter(({ status }) => status === 'done').length;
    if (isWaited) return assert.equal([error, done], [undefined, 3]);
    assert.ok(error instanceof FlameError);
    assert.is(error.code, 'service-paused');
    assert.match(error.message, `That ends at ${at(5 * hour)}`);
    assert.equal(error.hints, [`After that: git flame run --session ${bench.session}`]);
    assert.ok(
      now.every(({ status }) => status === 'pending'),
      'each task can be taken up again',
    );
    // A new start before that is told the same, and starts nobody.
    const count = bench.started.length;
    const again = await runWorkWave(bench.context, bench.session).catch((thrown: unknown) => thrown);
    assert.ok(again instanceof FlameError && again.code === 'service-paused');
    assert.is(bench.started.length, count);
  });

test.run();
