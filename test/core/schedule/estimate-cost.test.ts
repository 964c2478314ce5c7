import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { estimateCost } from '../../../lib/core/schedule/estimate-cost.ts';
import { type Config, configSchema } from '../../../lib/domain/config/config-schema.ts';
import type { Role } from '../../../lib/domain/role.ts';
import type { AgentRunRecord } from '../../../lib/domain/state/session-schema.ts';
import { testTime } from '../../support/tasks.ts';

const inGroup = (cohesion_group: string) => ({ cohesion_group, adapter: null, model: null });
const tasks = [inGroup('api'), inGroup('api'), inGroup('docs')];

function makeConfig(settings: unknown = {}): Config {
  return configSchema.parse(settings);
}

function makeRuns(role: Role, ...costs: readonly number[]): AgentRunRecord[] {
  return costs.map((cost_usd, index) => ({
    id: `${role}-0000000${index}`,
    role,
    task_id: null,
    model: 'sonnet',
    started_at: testTime,
    ended_at: testTime,
    outcome: 'done',
    cost_usd,
    tokens: 0,
  }));
}

test('BUD-3 without experience an agent costs its whole budget', () => {
  // 3 × 1.50 + 3 × 0.15, and 9 × 1.50 + 6 × 0.15 + 2 × 0.50.
  assert.equal(estimateCost({ tasks, config: makeConfig(), runs: [] }), {
    base_usd: 4.95,
    with_retries_usd: 15.4,
    roles: {
      worker: { runs: 3, runs_with_retries: 9, agent_usd: 1.5 },
      validator: { runs: 3, runs_with_retries: 6, agent_usd: 0.15 },
      merger: { runs: 0, runs_with_retries: 2, agent_usd: 0.5 },
    },
  });
});

test('BUD-3 three known runs of a role replace its budget by their average', () => {
  const few = makeRuns('worker', 0.1, 0.2, 0);
  const enough = [...few, ...makeRuns('worker', 0.3)];
  const estimate = (runs: readonly AgentRunRecord[]) => estimateCost({ tasks, config: makeConfig(), runs })?.base_usd;
  assert.is(estimate(few), 4.95);
  assert.is(estimate(enough), 1.05);
});

test('roles without a model cost nothing', () => {
  const config = makeConfig({ roles: { worker: { adapter: 'exec' } } });
  assert.equal(estimateCost({ tasks, config, runs: [] }), { base_usd: 0, with_retries_usd: 0, roles: {} });
});

test('BUD-3 what tasks, their attempts and their groups run with counts, beside workers that are scripts', () => {
  const config = makeConfig({
    roles: { worker: { adapter: 'exec' } },
    models: { groups: { docs: { worker: { adapter: 'claude' }, validator: { adapter: 'claude' } } } },
  });
  const byTask = { ...inGroup('api'), adapter: 'claude' };
  const attempts = [
    { adapter: 'codex', model: null },
    { adapter: 'exec', model: null },
  ];
  const several = { ...inGroup('api'), attempts };
  // Of docs, of the task itself and of the first attempt 1.50 each, and of docs 0.15.
  assert.equal(estimateCost({ tasks: [...tasks, byTask, several], config, runs: [] }), {
    base_usd: 4.65,
    with_retries_usd: 13.8,
    roles: {
      worker: { runs: 3, runs_with_retries: 9, agent_usd: 1.5 },
      validator: { runs: 1, runs_with_retries: 2, agent_usd: 0.15 },
    },
  });
});

test('a budget that is unlimited or in tokens has no price until runs are known', () => {
  for (const token_budget of [{ worker_usd: 0 }, { worker_usd: 0, worker_tokens: 5_000 }]) {
    const config = makeConfig({ limits: { token_budget } });
    assert.is(estimateCost({ tasks, config, runs: [] }), null);
    assert.is(estimateCost({ tasks, config, runs: makeRuns('worker', 1, 1, 1) })?.base_usd, 3.45);
  }
});

test('a plan without tasks costs nothing more', () => {
  const config = makeConfig({ limits: { token_budget: { worker_usd: 0 } } });
  assert.equal(estimateCost({ tasks: [], config, runs: [] }), {
    base_usd: 0,
    with_retries_usd: 0,
    roles: {},
  });
});

test.run();
