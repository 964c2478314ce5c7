import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { ValidationDecision, ValidatorFailedDecision } from '../../../lib/domain/ports/gates.ts';
import type { Verdict } from '../../../lib/domain/state/verdict.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

/** A done task whose validators say nothing, and a person who answers in this order, then is away. */
async function openSilent(
  ...decisions: readonly ValidatorFailedDecision[]
): Promise<TestWorkshop & { readonly asked: string[]; paid(): number }> {
  const asked: string[] = [];
  const bench = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/a.txt'] }],
    gates: {
      validatorFailed: async ({ reason }) => {
        asked.push(reason);
        const decision = decisions[asked.length - 1];
        if (decision !== undefined) return decision;
        throw new FlameError({
          kind: 'waiting',
          code: 'waits',
          message: 'Nobody.',
          hints: ['git flame run'],
        });
      },
    },
    agent: (request) => {
      if (request.role === 'validator') return { answer: null, cost_usd: 0.5, tokens: 100 };
      const file = join(request.worktree.path, 'src/a.txt');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'work on a\n');
      return { cost_usd: 0.5, tokens: 100 };
    },
  });
  await runWorkWave(bench.context, bench.session);
  return { ...bench, asked, paid: () => bench.started.filter(({ role }) => role === 'validator').length };
}

test('VAL-4 validators that gave no verdict in an earlier run count: the person is asked before one more is paid', async () => {
  const { context, session, asked, paid } = await openSilent();
  for (const round of [1, 2, 3]) {
    await assertWaits(() => runValidateWave(context, session));
    assert.is(asked.length, round);
    assert.is(paid(), 2, `run ${round}`);
  }
  assert.match(asked[1] ?? '', /^2 validators gave no verdict \(validator-[0-9a-f]{8}, validator-[0-9a-f]{8}\)$/);
});

test('VAL-4 a person who wants another one pays for one', async () => {
  const { context, session, asked, paid } = await openSilent(
    { kind: 'retry' },
    { kind: 'manual', status: 'pass', notes: 'Looks right.' },
  );
  await runValidateWave(context, session);
  assert.is(paid(), 3);
  assert.is(asked.length, 2);
  const [task] = (await context.store.snapshot()).tasksOf(session);
  assert.is(task?.result.status, 'pass');
});

/** A done task whose diagnostic fails, and a person who decides so about it. */
async function openRed(
  decision: ValidationDecision,
  output = 'not ok',
): Promise<TestWorkshop & { readonly asked: Verdict[] }> {
  const asked: Verdict[] = [];
  const bench = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/a.txt'] }],
    config: { validation: { validator_diagnostics: { enabled: true, commands: ['npm test'] } } },
    gates: {
      validation: async ({ verdict }) => {
        asked.push(verdict);
        return decision;
      },
    },
    agent: ({ role, worktree }) => {
      if (role === 'validator') return { answer: { status: 'pass', notes: 'Right.', issues: [] } };
      mkdirSync(join(worktree.path, 'src'), { recursive: true });
      writeFileSync(join(worktree.path, 'src/a.txt'), 'work on a\n');
      return {};
    },
  });
  const failing = { exitCode: 1, timedOut: false, duration_ms: 1, output };
  const agents = { ...bench.context.agents, runCommand: async () => failing };
  const context = { ...bench.context, agents };
  await runWorkWave(context, bench.session);
  return { ...bench, context, asked };
}

test('VAL-3 the next attempt is told the line that says what failed, however long what stands behind it', async () => {
  const stack = Array.from({ length: 40 }, (_, at) => `    at step ${at}`);
  const output = ['AssertionError: 3 == 1', ...stack].join('\n');
  const { context, session, asked } = await openRed({ kind: 'requeue', notes: '' }, output);
  await runValidateWave(context, session);
  assert.match(asked[0]?.issues[0] ?? '', 'AssertionError: 3 == 1');
  assert.not.match(asked[0]?.issues[0] ?? '', 'at step 20');
});

test('VAL-3 nobody is paid to judge what fails its diagnostics; a person passes it with a reason that stays with it', async () => {
  const { context, session, started, asked } = await openRed({
    kind: 'pass',
    override: ' The service was down. ',
  });
  await runValidateWave(context, session);
  assert.equal([started.filter(({ role }) => role === 'validator').length, asked.length], [0, 1]);
  assert.equal([asked[0]?.status, asked[0]?.by], ['fail', 'diagnostics']);
  assert.match(asked[0]?.issues[0] ?? '', 'npm test ended with 1:\nnot ok');
  const snapshot = await context.store.snapshot();
  const [task] = snapshot.tasksOf(session);
  assert.is(task?.result.status, 'pass');
  const verdict = task?.commit ? snapshot.verdictsOn(task.commit).at(-1) : undefined;
  assert.equal([verdict?.override, verdict?.by], ['The service was down.', context.gates.person]);
  assert.is(verdict?.diagnostics[0]?.exit_code, 1, 'what was found stays in it');
  // It is decided: nobody is asked again.
  await runValidateWave(context, session);
  assert.is(asked.length, 1);
});

test("EGR-2 the setup before diagnostics of an agent's commit is told the base that the session came from", async () => {
  const { context, session } = await openRed({ kind: 'pass', override: 'The service was down.' });
  const told: unknown[] = [];
  const { agents, config } = context;
  const { session: now } = await viewSession(context, session);
  await runValidateWave(
    {
      ...context,
      config: { ...config, project: { ...config.project, setup: ['npm ci'] } },
      agents: {
        ...agents,
        runCommand: async (request) => {
          // That the base fails too is asked of the base, which no agent wrote.
          const isOfAgent = request.worktree.start !== now.base_commit;
          if (request.phase === 'setup' && isOfAgent) told.push(request.basedOn);
          return agents.runCommand(request);
        },
      },
    },
    session,
  );
  assert.ok(told.length > 0);
  assert.ok(told.every((commit) => commit === now.base_commit));
});

test('VAL-5 what a person mended has the very commit judged again, by a verdict like any other, and no work paid twice', async () => {
  const { context, session, started, asked } = await openRed({ kind: 'recheck' });
  // Mended after the second look only: until then the person is asked again.
  const passing = { exitCode: 0, timedOut: false, duration_ms: 1, output: 'ok' };
  const { agents } = context;
  await runValidateWave(
    {
      ...context,
      agents: {
        ...agents,
        runCommand: async (request) => (asked.length < 2 ? agents.runCommand(request) : passing),
      },
    },
    session,
  );
  assert.equal(
    asked.map(({ status, by }) => [status, by]),
    [
      ['fail', 'diagnostics'],
      ['fail', 'diagnostics'],
    ],
  );
  const snapshot = await context.store.snapshot();
  const [task] = snapshot.tasksOf(session);
  assert.equal([task?.status, task?.result.status, task?.retry_count], ['done', 'pass', 0]);
  const verdicts = task?.commit ? snapshot.verdictsOn(task.commit) : [];
  assert.equal(
    verdicts.map(({ status, override }) => [status, override]),
    [
      ['fail', undefined],
      ['fail', undefined],
      ['pass', undefined],
    ],
  );
  assert.equal(
    started.map(({ role }) => role),
    ['worker', 'validator'],
  );
  const { gates } = (await viewSession(context, session)).session;
  assert.equal(
    gates.filter(({ gate }) => gate === 'validation a').map(({ decision }) => decision),
    ['recheck', 'recheck'],
  );
});

test('VAL-3 a reason that cannot be seen passes nothing', async () => {
  for (const override of ['', ' \u200b']) {
    const { context, session } = await openRed({ kind: 'pass', override });
    const error: unknown = await runValidateWave(context, session).catch((cause: unknown) => cause);
    assert.is(error instanceof FlameError ? error.code : error, 'needs-override');
    assert.is((await context.store.snapshot()).tasksOf(session)[0]?.result.status, 'fail');
  }
});

test('VAL-5 a task that is sent back may keep its work: the next attempt starts from it', async () => {
  for (const keep of [true, false]) {
    const { context, session } = await openRed({ kind: 'requeue', notes: 'Once more.', keep });
    const before = (await context.store.snapshot()).tasksOf(session)[0];
    await runValidateWave(context, session);
    const after = (await context.store.snapshot()).tasksOf(session)[0];
    assert.is(after?.status, 'requeued');
    const kept = { commit: before?.commit, start: before?.start_commit };
    assert.equal(after?.kept, keep ? kept : undefined);
  }
});

async function assertWaits(run: () => Promise<void>): Promise<void> {
  const error = await run().then(
    () => null,
    (cause: unknown) => cause,
  );
  assert.is(error instanceof FlameError ? error.code : error, 'waits');
}

test.run();
