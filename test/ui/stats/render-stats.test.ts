import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { computeStats, type SessionRecord } from '../../../lib/core/stats/compute-stats.ts';
import type { Stats } from '../../../lib/domain/view-models/stats-report.ts';
import { renderPrometheus } from '../../../lib/ui/stats/render-prometheus.ts';
import { renderStats } from '../../../lib/ui/stats/render-stats.ts';
import { beginning, life, pastSession, record, run } from '../../core/stats/rig.ts';
import { parsePrometheus } from '../../support/prometheus.ts';
import { hostile, isHarmless, plainStyle, widest } from '../samples.ts';

const task = life(
  'task-1',
  [
    [1, 'claimed'],
    [31, 'done'],
    [61, 'merged'],
  ],
  { title: hostile },
);
const rich = record(
  [
    task,
    life('task-2', [
      [1, 'claimed'],
      [5, 'failed', { Failure: 'agent-timeout' }],
    ]),
  ],
  {
    objective: hostile,
    cost_usd: 0.1 + 0.2,
    tokens: 200,
    spend: { worker: { runs: 2, cost_usd: 0.1 + 0.2, tokens: 200 } },
    agents: [run('worker-1', 'task-1', 0.1), run('worker-2', 'task-2', 0.2)],
    estimate: {
      base_usd: 0.5,
      with_retries_usd: 2,
      roles: { worker: { runs: 2, runs_with_retries: 6, agent_usd: 0.25 } },
    },
  },
  { blocked: new Map([[`a"b\\c\nd`, 2]]) },
);

function stats(reported: readonly SessionRecord[], all = reported): Stats {
  return computeStats({ reported, all, slots: 2, now: new Date(beginning) });
}

test('WFL-3: Prometheus reads the metrics: HELP, TYPE, units, escaped labels, no series twice', () => {
  const text = renderPrometheus(stats([rich]));
  const samples = parsePrometheus(text);
  const sampled = (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    samples.find((sample) => sample.name === name && JSON.stringify(sample.labels) === JSON.stringify(labels))?.value;
  assert.is(sampled('git_flame_tasks', { status: 'merged' }), 1);
  assert.is(sampled('git_flame_task_completion_ratio'), 0.5);
  assert.is(sampled('git_flame_task_cycle_seconds', { quantile: '0.5' }), 60);
  assert.is(sampled('git_flame_task_cycle_seconds_count'), 1);
  assert.is(sampled('git_flame_cost_dollars_total', { role: 'worker' }), 0.3);
  assert.is(sampled('git_flame_cost_estimate_dollars', { bound: 'base' }), 0.5);
  assert.is(sampled('git_flame_failures_total', { source: 'watcher', rule: 'a"b\\c\nd' }), 2);
  assert.is(sampled('git_flame_worker_busy_seconds_total'), 34);
  assert.is(sampled('git_flame_session_info', { session: rich.session.id, state: 'ended' }), 1);
  assert.is(sampled('git_flame_anomaly_history_sessions'), 0);
});

test('without a session the metrics are valid too', () => {
  const samples = parsePrometheus(renderPrometheus(stats([])));
  assert.is(samples.find(({ name }) => name === 'git_flame_task_attempts_total')?.value, 0);
  assert.is(
    samples.find(({ name }) => name === 'git_flame_health_ratio'),
    undefined,
  );
});

test('WFL-3: the text says health with its parts, failures by rule, and estimate against actual', () => {
  const text = renderStats(stats([rich]), plainStyle());
  assert.match(text, /^ {2}0\.\d\d of 1, (?:fair|poor)$/m);
  assert.match(text, /^ {2}landed +0\.50 +x 0\.30 +1 of 2 settled tasks landed$/m);
  assert.match(text, /^ {2}all +2: 1 failed, 1 merged$/m);
  assert.match(text, /^ {2}cycle +1m 00s +1m 00s +claim to landing$/m);
  assert.match(text, /^ {2}1 +agent +agent-timeout$/m);
  assert.match(text, /^ {2}worker +2 runs +\$0\.30, 200 tokens +estimated \$0\.50, at \$0\.25 for each of 2$/m);
  assert.match(text, /^ {2}worker-2 +task-2 +10\.0 s +\$0\.20, 100 tokens +estimated \$0\.25 +ended$/m);
  assert.match(text, /Not enough history: 0 of the 5 ended sessions needed\./);
  assert.ok(isHarmless(text), text);
});

test('all sessions: one line each, and what is out of the ordinary with its session', () => {
  const all = [...Array(6).keys()].map((number) => pastSession(number));
  const odd = pastSession(8, { seconds: 4_000 });
  const text = renderStats(stats([...all, odd]), plainStyle());
  assert.match(text, /^All sessions: 7$/m);
  assert.match(text, /^ {2}ses-20260206-143008-1a2b +\d\.\d\d +4 tasks +100 % +1h 06m +\$0\.80$/m);
  assert.match(text, /^ {2}ses-20260206-143008-1a2b: cycle time is 4000 s, more than usual: 60 s/m);
  assert.is(renderStats(stats([]), plainStyle()), 'No session yet, so there are no figures.');
});

test('a narrow terminal is kept to', () => {
  for (const width of [40, 60, 100]) {
    assert.ok(widest(renderStats(stats([rich, pastSession(3)]), { ...plainStyle(), width })) <= width, `${width}`);
  }
});

test.run();
