import type { Distribution, Stats } from '../../domain/view-models/stats-report.ts';

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** After the family's name: `_sum`. */
  readonly suffix?: string;
}

interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/**
 * The figures in Prometheus' text exposition format (version 0.0.4), for a textfile collector: base units,
 * each family with HELP and TYPE, what isn't known left out.
 */
export function renderPrometheus(stats: Stats): string {
  return [ofTasks, ofWorkers, ofCost, ofHealth]
    .flatMap((families) => families(stats))
    .filter(({ samples }) => samples.length > 0)
    .map(renderFamily)
    .join('');
}

function ofTasks({ tasks, retries, times_s, failures }: Stats): readonly Family[] {
  return [
    gauge('tasks', 'Tasks by status.', by('status', Object.entries(tasks.by_status))),
    gauge('task_completion_ratio', 'Share of settled tasks that landed.', known(tasks.completion_rate)),
    gauge('task_first_try_ratio', 'Share of landed tasks that took one attempt.', known(tasks.first_try_rate)),
    counter('task_attempts_total', 'Attempts at tasks.', known(retries.attempts)),
    gauge('tasks_retried', 'Tasks that took more than one attempt.', known(retries.retried_tasks)),
    summary('task_cycle_seconds', 'From the first claim of a task to its landing.', times_s.cycle),
    summary('task_lead_seconds', 'From the creation of a task to its landing.', times_s.lead),
    counter(
      'failures_total',
      'Refusals and failures, by where they were found and by rule.',
      failures.flatMap(({ source, rule, count }) => known(count, { source, rule })),
    ),
  ];
}

function ofWorkers({ queue, utilisation }: Stats): readonly Family[] {
  return [
    gauge('queue_depth', 'Tasks that wait for an agent.', known(queue.depth)),
    gauge('queue_ready', 'Waiting tasks that could start now.', known(queue.ready)),
    gauge('queue_peak', 'The most tasks that waited at once.', known(queue.peak)),
    gauge('worker_slots', 'Workers that may run at once.', known(utilisation.slots)),
    gauge('worker_utilisation_ratio', 'Share of usable worker slots that were in use.', known(utilisation.value)),
    counter('worker_busy_seconds_total', 'Time that workers were busy.', known(utilisation.busy_s)),
  ];
}

function ofCost({ cost }: Stats): readonly Family[] {
  const { estimate, roles } = cost;
  const ofRoles = (figure: 'runs' | 'cost_usd' | 'tokens'): readonly Sample[] =>
    roles.flatMap(({ role, [figure]: value }) => known(value, { role }));
  const bounds = estimate === null ? {} : { base: estimate.base_usd, worst: estimate.with_retries_usd };
  return [
    counter('agent_runs_total', 'Agent runs, retries among them.', ofRoles('runs')),
    counter('cost_dollars_total', 'Cost of agents, in US dollars.', ofRoles('cost_usd')),
    counter('tokens_total', 'Tokens that agents used.', ofRoles('tokens')),
    gauge(
      'cost_estimate_dollars',
      'Estimated cost: if all goes well, and at worst.',
      by('bound', Object.entries(bounds)),
    ),
    summary('task_cost_dollars', 'Cost of a task.', cost.per_task),
  ];
}

function ofHealth({ health, anomalies, sessions }: Stats): readonly Family[] {
  const metrics = new Map<string, number>();
  for (const { metric } of anomalies.found) metrics.set(metric, (metrics.get(metric) ?? 0) + 1);
  return [
    gauge('health_ratio', 'Health score, from 0 to 1.', known(health.score)),
    gauge(
      'health_part_ratio',
      'Parts of the health score.',
      health.parts.flatMap(({ name: part, value }) => known(value, { part })),
    ),
    gauge('anomalies', 'Figures that differ from the history of the repository.', by('metric', [...metrics])),
    gauge('anomaly_history_sessions', 'Ended sessions to compare with.', known(anomalies.history)),
    gauge(
      'session_info',
      'Sessions that these figures are about.',
      sessions.flatMap(({ session, state }) => known(1, { session, state })),
    ),
    gauge(
      'session_health_ratio',
      'Health score of each session.',
      sessions.flatMap(({ session, health: value }) => known(value, { session })),
    ),
    gauge(
      'session_cost_dollars',
      'Cost of each session.',
      sessions.flatMap(({ session, cost_usd: value }) => known(value, { session })),
    ),
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'counter', samples };
}

function summary(name: string, help: string, values: Distribution | null): Family {
  const samples =
    values === null
      ? []
      : [
          { labels: { quantile: '0.5' }, value: values.median },
          { labels: { quantile: '0.9' }, value: values.p90 },
          { labels: {}, value: values.sum, suffix: '_sum' },
          { labels: {}, value: values.count, suffix: '_count' },
        ];
  return { name, help, type: 'summary', samples };
}

function known(value: number | null, labels: Labels = {}): readonly Sample[] {
  return value === null ? [] : [{ labels, value }];
}

function by(label: string, values: readonly (readonly [string, number | null])[]): readonly Sample[] {
  return values.flatMap(([name, value]) => known(value, { [label]: name }));
}

function renderFamily({ name, type, help, samples }: Family): string {
  const full = `git_flame_${name}`;
  const lines = samples.map(
    ({ labels, value, suffix = '' }) => `${full}${suffix}${renderLabels(labels)} ${renderValue(value)}\n`,
  );
  return `# HELP ${full} ${escapeHelp(help)}\n# TYPE ${full} ${type}\n${lines.join('')}`;
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Floating-point noise of sums is no information. */
function renderValue(value: number): string {
  return String(Number(value.toPrecision(12)));
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
