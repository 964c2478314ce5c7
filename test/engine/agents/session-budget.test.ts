import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { AgentRequest, SharedBudget } from '../../../lib/domain/ports/agent-port.ts';
import type { BudgetDecision, BudgetQuestion } from '../../../lib/domain/ports/gates.ts';
import { createSharedBudget } from '../../../lib/engine/agents/session-budget.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const limits = (fields: Readonly<Record<string, unknown>>) => ({
  concurrency: { development: 1, validation: 1 },
  limits: { max_session_cost_usd: 1, token_budget: { worker_usd: 0.6, validator_usd: 0 }, ...fields },
});
const tasks = ['a', 'b', 'c'].map((id, index) => ({
  ...{ id, title: `Do ${id}`, description: 'Do it.', priority: index + 1, file_locks: [`src/${id}.txt`] },
}));

/** A person who answers in this order. */
function answers(...decisions: readonly BudgetDecision[]) {
  const asked: BudgetQuestion[] = [];
  const budget = async (question: BudgetQuestion): Promise<BudgetDecision> => {
    asked.push(question);
    const decision = decisions[asked.length - 1];
    if (decision !== undefined) return decision;
    throw new FlameError({
      kind: 'waiting',
      code: 'waits',
      message: 'Nobody is there.',
      hints: ['git flame run'],
    });
  };
  return { asked, gates: { budget } };
}

/** Whether a small request may be sent, which is over at once. */
async function maySpend(budget: SharedBudget): Promise<boolean> {
  const request = Symbol('request');
  const nothing = { tokens: 0, cost_usd: 0 };
  const demand = { input: { tokens: 1, cost_usd: 0.000_1 }, perOutputToken: nothing, most: 1, least: 1 };
  const granted = await budget.take(request, demand, () => false);
  budget.giveBack(request);
  return granted !== null;
}

async function openBench(options: Partial<Parameters<typeof openTestWorkshop>[0]> & { readonly gates?: object }) {
  const budgets: AgentRequest['budget'][] = [];
  const bench = await openTestWorkshop({
    tasks,
    config: limits({}),
    ...options,
    agent: (request) => {
      budgets.push(request.budget);
      if (request.role === 'validator')
        return { answer: { status: 'pass', notes: '', issues: [] }, cost_usd: 0.5, tokens: 100 };
      const file = join(request.worktree.path, `src/${request.task}.txt`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `work on ${request.task}\n`);
      return { cost_usd: request.adapter === 'exec' ? 0 : 0.6, tokens: 1_000 };
    },
  });
  return { ...bench, budgets };
}

test('BUD-2 a spent budget asks before the next agent; raised, it goes on, and nobody gets more than is left', async () => {
  const { asked, gates } = answers({ kind: 'raise', amount: 0.5 });
  const bench = await openBench({ gates });
  await runWorkWave(bench.context, bench.session);
  assert.equal(asked, [{ spent: 1.2, limit: 1, unit: 'usd' }]);
  assert.equal(
    bench.budgets.map(({ limit }) => Math.round(limit * 100)),
    [60, 40, 30],
  );
  const { sessions } = await bench.context.store.snapshot();
  assert.equal([sessions[0]?.raised_limit, sessions[0]?.cost_usd, sessions[0]?.spend.worker?.runs], [1.5, 1.8, 3]);
  assert.equal(
    sessions[0]?.gates.slice(-1).map(({ gate, decision }) => [gate, decision]),
    [['budget', 'raised by 0.5']],
  );
});

test('BUD-2 stop: the session is stopped, what is left stays pending', async () => {
  const { gates } = answers({ kind: 'stop' });
  const bench = await openBench({ gates });
  await runWorkWave(bench.context, bench.session);
  const snapshot = await bench.context.store.snapshot();
  assert.is(snapshot.sessions[0]?.state, 'stopped');
  assert.equal(
    snapshot.tasksOf(bench.session).map(({ status }) => status),
    ['done', 'done', 'pending'],
  );
});

test('BUD-2 nobody to ask: what waits is said, the state is saved, and asked again the next time', async () => {
  const { asked, gates } = answers();
  const bench = await openBench({ gates });
  for (let time = 1; time <= 2; time += 1) {
    const error = await runWorkWave(bench.context, bench.session).catch((reason: unknown) => reason);
    assert.is(error instanceof FlameError && error.kind, 'waiting');
    assert.is(asked.length, time);
  }
  assert.is(bench.started.length, 2);
});

test('BUD-2 the threshold is warned about once, at the end of the agent that passed it', async () => {
  const bench = await openBench({ config: limits({ max_session_cost_usd: 2, warn_threshold: 0.5 }) });
  await runWorkWave(bench.context, bench.session);
  const told = bench.events.flatMap((event) =>
    event.event === 'notice' && event.level === 'warning' ? [event.message] : [],
  );
  assert.equal(told, ["$1.20 of $2.00 of the session's budget is spent."]);
});

test('BUD-2 what costs nothing goes on when the budget is spent, and nobody is asked', async () => {
  const bench = await openBench({
    config: limits({ max_session_cost_usd: 0.5 }),
    tasks: tasks.slice(0, 2).map((task) => (task.id === 'b' ? { ...task, adapter: 'exec' } : task)),
  });
  await runWorkWave(bench.context, bench.session);
  assert.equal(
    (await bench.context.store.snapshot()).tasksOf(bench.session).map(({ status }) => status),
    ['done', 'done'],
  );
});

test('BUD-2 validators are asked about too, with what is left where their role has no limit', async () => {
  const { asked, gates } = answers({ kind: 'raise', amount: 1 });
  const bench = await openBench({
    gates,
    tasks: tasks.slice(0, 2),
    config: limits({ max_session_cost_usd: 1.4 }),
  });
  await runWorkWave(bench.context, bench.session);
  await runValidateWave(bench.context, bench.session);
  assert.equal(
    asked.map(({ spent }) => spent),
    [1.7],
  );
  assert.equal(
    bench.budgets.slice(2).map(({ limit }) => Math.round(limit * 100)),
    [20, 70],
  );
});

test('BUD-2 agents that spend the budget together wait for one answer, and end where nobody gives it', async () => {
  const { asked, gates } = answers({ kind: 'raise', amount: 1 });
  const { context, session } = await openBench({ gates });
  const [first, second] = ['worker-00000001', 'worker-00000002'].map((id) =>
    createSharedBudget(context, { id, session }),
  );
  assert.ok(first !== undefined && second !== undefined);
  first.note({ tokens: 10, cost_usd: 0.5 });
  assert.equal([await maySpend(first), await maySpend(second), asked.length], [true, true, 0]);
  second.note({ tokens: 10, cost_usd: 0.6 });
  assert.equal(await Promise.all([maySpend(first), maySpend(second)]), [true, true]);
  assert.equal(asked, [{ spent: 1.1, limit: 1, unit: 'usd' }]);
  first.note({ tokens: 10, cost_usd: 1.5 });
  assert.equal(await Promise.all([maySpend(first), maySpend(second)]), [false, false]);
});

test('BUD-2 a stop ends every agent at its next request, and nobody is asked again', async () => {
  const { asked, gates } = answers({ kind: 'stop' });
  const { context, session } = await openBench({ gates });
  const shared = createSharedBudget(context, { id: 'worker-00000001', session });
  shared.note({ tokens: 10, cost_usd: 2 });
  assert.is(await maySpend(shared), false);
  assert.is(await maySpend(createSharedBudget(context, { id: 'worker-00000002', session })), false);
  assert.is(asked.length, 1);
});

test('BUD-2 a session limited in tokens leaves a role its own limit in dollars', async () => {
  const bench = await openBench({
    tasks: tasks.slice(0, 1),
    config: limits({ max_session_cost_usd: 0, max_session_tokens: 500 }),
  });
  await runWorkWave(bench.context, bench.session);
  assert.equal(bench.budgets, [{ unit: 'usd', limit: 0.6, key: 'limits.token_budget.worker_usd' }]);
});

test.run();
