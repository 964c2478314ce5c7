import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { modelCliNames } from '../../../lib/domain/config/known-clis.ts';
import type { FlameError } from '../../../lib/domain/flame-error.ts';
import { requirePlannerThatTalks } from '../../../lib/engine/plan/plan-wave.ts';
import { requireRunCanStart } from '../../../lib/engine/work/preflight.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

function open(config: Readonly<Record<string, unknown>>): Promise<TestWorkshop> {
  const task = {
    id: 'a',
    title: 'Do a',
    description: '.',
    cohesion_group: 'docs',
    file_locks: ['src/a.txt'],
  };
  return openTestWorkshop({ tasks: [task], config, agent: () => ({}) });
}

async function refusal(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    const { code, message } = error as FlameError;
    return `${code}: ${message}`;
  }
  return 'none';
}

const inTokens = {
  max_session_tokens: 1_000_000,
  token_budget: {
    planner_tokens: 1_000,
    worker_tokens: 1_000,
    validator_tokens: 1_000,
    merger_tokens: 1_000,
  },
};

test('BUD-1 a model without a price is refused before anything starts where a limit is in dollars', async () => {
  const role = await open({
    roles: { worker: { adapter: 'gemini' } },
    models: { worker: 'gemini-3.7-flash' },
  });
  assert.match(
    await refusal(() => requireRunCanStart(role.context, ['planner', 'worker'])),
    "no-price: The price of the model gemini-3.7-flash is not known, so the budget in dollars can't limit the worker.",
  );
  assert.is(await refusal(() => requireRunCanStart(role.context, ['planner', 'validator'])), 'none');
  // What a group names is asked for once a task is in it.
  const groups = { docs: { worker: { adapter: 'codex', model: 'gpt-6.1-sol' } } };
  const group = await open({ models: { groups } });
  assert.is(await refusal(() => requireRunCanStart(group.context, ['worker'])), 'none');
  assert.match(
    await refusal(() => runWorkWave(group.context, group.session)),
    'no-price: The price of the model gpt-6.1-sol',
  );
  assert.equal(group.started, []);
  const [task] = (await group.said.snapshot()).tasksOf(group.session);
  assert.is(task?.status, 'pending');
  const priced = { groups, prices: { 'gpt-6.1': { input: 3, output: 15 } } };
  assert.is(
    await refusal(async () => requireRunCanStart((await open({ models: priced })).context, ['worker'])),
    'none',
  );
});

test('BUD-1 where tokens are the limit it is said once that no figure in dollars counts such a model', async () => {
  const { context, events, session, started } = await open({
    ...{ roles: { worker: { adapter: 'gemini' } }, models: { worker: 'gemini-3.7-flash' }, limits: inTokens },
  });
  await requireRunCanStart(context, ['planner', 'worker']);
  await runWorkWave(context, session);
  const told = events.filter((body) => body.event === 'notice' && /price of the model/.test(body.message));
  assert.is(told.length, 1, JSON.stringify(told));
  assert.match(JSON.stringify(told), 'gemini-3.7-flash is not known: only limits in tokens apply to its agents');
  assert.ok(started.length > 0);
});

test('PLN-1 a talk with a planner that has none is refused by name', async () => {
  for (const name of modelCliNames.filter((one) => one !== 'claude')) {
    // Which of its providers opencode asks, nobody but the person can say.
    const models = name === 'opencode' ? { planner: 'openai/gpt-5.5' } : {};
    const { context } = await open({ roles: { planner: { adapter: name } }, models });
    assert.throws(() => requirePlannerThatTalks(context), `You can't talk with agents of ${name} here`);
  }
  requirePlannerThatTalks((await open({})).context);
});

test.run();
