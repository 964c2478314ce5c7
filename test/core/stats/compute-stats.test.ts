import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { computeStats, type SessionRecord } from '../../../lib/core/stats/compute-stats.ts';
import type { Stats } from '../../../lib/domain/view-models/stats-report.ts';
import { alterTask, makeTask, makeVerdict } from '../../support/tasks.ts';
import { after, beginning, life, record, run } from './rig.ts';

function compute(reported: readonly SessionRecord[], slots = 2): Stats {
  return computeStats({ reported, all: reported, slots, now: new Date(beginning) });
}

/** Two slots; one task at once, one retried, one that waits for the first. */
const typical = record(
  [
    life('task-1', [
      [10, 'claimed'],
      [30, 'done'],
      [40, 'merged'],
    ]),
    life('task-2', [
      [10, 'claimed'],
      [20, 'failed', { Failure: 'violation', Rule: 'secret, path-out-of-scope' }],
      [20, 'pending'],
      [25, 'claimed'],
      [35, 'done'],
      [40, 'merged'],
    ]),
    life(
      'task-3',
      [
        [40, 'claimed'],
        [60, 'failed', { Failure: 'agent-timeout' }],
      ],
      {
        dependencies: ['task-1'],
      },
    ),
    life('task-4', [[60, 'blocked']], { dependencies: ['task-3'] }),
  ],
  {
    estimate: {
      base_usd: 1,
      with_retries_usd: 3,
      roles: { worker: { runs: 4, runs_with_retries: 12, agent_usd: 0.25 } },
    },
    cost_usd: 1.5,
    tokens: 300,
    spend: { worker: { runs: 3, cost_usd: 1.5, tokens: 300 } },
    agents: [run('worker-1', 'task-1', 0.5), run('worker-2', 'task-2', 0.4), run('worker-3', 'task-2', 0.6)],
  },
);

test('WFL-3: completion, first try, retries and times', () => {
  const { tasks, times_s, retries } = compute([typical]);
  assert.is(tasks.total, 4);
  assert.is(tasks.by_status.merged, 2);
  assert.is(tasks.completion_rate, 0.5);
  assert.is(tasks.first_try_rate, 0.5);
  assert.equal(retries, { attempts: 4, retried_tasks: 1, per_task: 1 / 3 });
  assert.is(times_s.cycle?.median, 30);
  assert.is(times_s.lead?.median, 40);
  assert.is(times_s.working?.max, 20);
  assert.is(times_s.waiting?.max, 15);
  assert.is(times_s.checking?.median, 7.5);
});

test('WFL-3: the wait for a verdict is the machine, what follows the person, who may judge again', () => {
  const told = life('task-1', [
    [10, 'claimed'],
    [20, 'done'],
    [25, 'done'],
    [60, 'done'],
    [100, 'merged'],
  ]);
  const log = told.log.map((entry) =>
    entry.trailers.Transition === 'done -> done' ? { ...entry, subject: 'task-1: judged fail by diagnostics' } : entry,
  );
  const { times_s } = compute([record([{ ...told, log }])]);
  assert.equal([times_s.checking?.median, times_s.deciding?.median], [5, 75]);
  const untold = compute([record([told])]).times_s;
  assert.equal([untold.checking?.median, untold.deciding?.median], [80, 0]);
});

test('WFL-3: the queue and the use of the slots, while agents worked', () => {
  const { queue, utilisation, flow } = compute([typical]);
  assert.is(queue.peak, 4);
  assert.is(queue.depth, 0);
  // 10–20 two busy; 20–25 one busy, one could; 25–30 two; 30–35 one busy and task-3 could start; 35–40 none at work.
  assert.is(utilisation.busy_s, 20 + 5 + 10 + 5 + 20);
  assert.is(utilisation.usable_s, 20 + 10 + 10 + 10 + 20);
  assert.is(utilisation.value, 60 / 70);
  assert.equal(
    flow.map(({ at, waiting, working, checking, landed, lost }) => [
      (Date.parse(at) - beginning) / 1_000,
      [waiting, working, checking, landed, lost],
    ]),
    [
      [0, [4, 0, 0, 0, 0]],
      [10, [2, 2, 0, 0, 0]],
      [20, [3, 1, 0, 0, 0]],
      [25, [2, 2, 0, 0, 0]],
      [30, [2, 1, 1, 0, 0]],
      [35, [2, 0, 2, 0, 0]],
      [40, [1, 1, 0, 2, 0]],
      [60, [1, 0, 0, 2, 1]],
    ],
  );
});

test('WFL-3: failures by rule, from the watcher to the review', () => {
  const task = makeTask('task-5', {
    status: 'requeued',
    history: [
      entry('rejected', 'no'),
      entry('conflict', 'in a.txt'),
      { ...entry('summary', 'rejected: no'), attempt: 0 },
    ],
  });
  const diagnostics = [
    { command: 'npm test', exit_code: 1, timed_out: false, duration_ms: 5, output: '' },
    { command: 'npm run lint', exit_code: 0, timed_out: false, duration_ms: 5, output: '' },
  ];
  const verdicts = [
    makeVerdict(task, 'fail', { diagnostics, by: 'diagnostics' }),
    makeVerdict(task, 'fail'),
    makeVerdict(task, 'pass'),
  ];
  const { failures } = compute([
    {
      ...typical,
      tasks: [...typical.tasks, task],
      verdicts,
      blocked: new Map([['bash-not-allowed', 3]]),
      verified: { same: 1, all: 2 },
    },
  ]);
  assert.equal(
    failures.map(({ source, rule, count }) => `${count} ${source} ${rule}`),
    [
      '3 watcher bash-not-allowed',
      '2 review rejected',
      '1 agent agent-timeout',
      '1 post-check path-out-of-scope',
      '1 post-check secret',
      '1 diagnostic npm test',
      '1 verdict failed by a validator',
      '1 evidence different result when checked again',
      '1 merge conflict',
    ],
  );
});

test('BUD-3: estimate before and actual after, by role, by agent and by task', () => {
  const { cost, tasks } = compute([typical]);
  assert.equal(cost.estimate, { base_usd: 1, with_retries_usd: 3 });
  assert.equal(cost.roles, [
    {
      role: 'worker',
      runs: 3,
      cost_usd: 1.5,
      tokens: 300,
      estimate: { runs: 4, runs_with_retries: 12, agent_usd: 0.25 },
    },
  ]);
  assert.equal(
    cost.agents.map(({ agent, estimate_usd, cost_usd, seconds }) => [agent, estimate_usd, cost_usd, seconds]),
    [
      ['worker-1', 0.25, 0.5, 10],
      ['worker-2', 0.25, 0.4, 10],
      ['worker-3', 0.25, 0.6, 10],
    ],
  );
  assert.equal(
    tasks.list.map(({ task, cost_usd, tokens, attempts }) => [task, cost_usd, tokens, attempts]),
    [
      ['task-1', 0.5, 100, 1],
      ['task-2', 1, 200, 2],
      ['task-3', 0, 0, 1],
      ['task-4', 0, 0, 0],
    ],
  );
});

test('a session whose note lists the latest runs only: history and verdicts say what a task cost', () => {
  const task = makeTask('task-1', { history: [{ ...entry('done', ''), cost_usd: 0.7, tokens_used: 9 }] });
  const verdict = makeVerdict(task, 'pass', { cost_usd: 0.1, tokens: 1 });
  const { tasks } = compute([
    record([{ task, log: [] }], { spend: { worker: { runs: 500, cost_usd: 90, tokens: 0 } } }, { verdicts: [verdict] }),
  ]);
  assert.equal(tasks.list[0]?.cost_by_role, { worker: 0.7, validator: 0.1 });
  assert.is(tasks.list[0]?.tokens, 10);
});

test('WFL-3: the health score is explained by its parts; what nothing is known of does not count', () => {
  const { health } = compute([typical]);
  const values = Object.fromEntries(health.parts.map(({ name, value }) => [name, value]));
  assert.equal(values, {
    landed: 0.5,
    'first try': 0.5,
    verdicts: null,
    attempts: 0.5,
    cost: 0.75,
    slots: 0.857,
    evidence: null,
  });
  const weight = 0.3 + 0.2 + 0.15 + 0.1 + 0.05;
  const score = (0.5 * 0.3 + 0.5 * 0.2 + 0.5 * 0.15 + 0.75 * 0.1 + 0.857 * 0.05) / weight;
  assert.is(health.score, Math.round(score * 1_000) / 1_000);
  assert.is(
    health.parts.reduce((sum, part) => sum + part.weight, 0),
    1,
  );
  assert.is(compute([record([])]).health.score, null);
});

test('nothing recorded gives no figures and no division by zero', () => {
  const nothing = compute([]);
  assert.equal(nothing.sessions, []);
  assert.is(nothing.tasks.completion_rate, null);
  assert.is(nothing.times_s.cycle, null);
  assert.is(nothing.queue.mean, null);
  assert.not.match(JSON.stringify(nothing), /NaN|Infinity/);
  const waiting = compute([record([life('task-1', []), life('task-2', [], { dependencies: ['task-1'] })])]);
  assert.equal(waiting.queue, { depth: 2, ready: 1, peak: 2, mean: null });
});

test('two sessions may have tasks of the same name', () => {
  const other = record([life('task-1', [[5, 'claimed']], { session: 'ses-20260206-143022-ffff' as never })], {
    id: 'ses-20260206-143022-ffff' as never,
  });
  const stats = compute(
    [
      record([
        life('task-1', [
          [1, 'claimed'],
          [2, 'done'],
        ]),
      ]),
      other,
    ],
    1,
  );
  assert.is(stats.sessions.length, 2);
  assert.is(stats.tasks.total, 2);
  assert.equal(stats.flow.at(-1), {
    at: after(5),
    waiting: 0,
    working: 1,
    checking: 1,
    landed: 0,
    lost: 0,
  });
});

test('moments within a second are as exact as the note knows them', () => {
  const { task, log } = life('task-1', [
    [10.25, 'claimed'],
    [10.5, 'done'],
    [12.75, 'merged'],
  ]);
  const known = alterTask(task, {
    claimed_at: after(10.25),
    updated_at: after(12.75),
    history: [{ ...entry('done', ''), timestamp: after(10.5) }],
  });
  const { times_s } = compute([record([{ task: known, log }])]);
  assert.is(times_s.cycle?.median, 2.5);
  assert.is(times_s.working?.median, 0.25);
});

test('a status that no commit tells of is taken from the note', () => {
  const { task, log } = life('task-1', [[1, 'claimed']]);
  const merged = alterTask(task, { status: 'merged', updated_at: after(9) });
  const { times_s } = compute([record([{ task: merged, log }])]);
  assert.is(times_s.cycle?.median, 8);
});

function entry(result: string, notes: string) {
  return {
    attempt: 1,
    agent_id: 'worker-1a2b3c4d',
    timestamp: after(0),
    result,
    notes,
    rejection_reason: null,
    cost_usd: 0,
    tokens_used: 0,
  };
}

test.run();
