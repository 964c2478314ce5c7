import type { Anomalies, Anomaly, SessionFigures, TaskFigures } from '../../domain/shown/stats.ts';
import { median } from './distribution.ts';

const neededSessions = 5;
const neededTasks = 20;
/** Robust standard deviations from which a value is out of the ordinary (Iglewicz and Hoaglin). */
const threshold = 3.5;
/** Makes the median absolute deviation of a normal distribution its standard deviation. */
const madScale = 1.4826;

interface Metric {
  readonly name: string;
  readonly get: (session: SessionFigures) => number | null;
  /** The smallest spread that is taken seriously: where all were alike, a little more is no anomaly. */
  readonly grain: number;
  readonly show: (value: number) => string;
}

const metrics: readonly Metric[] = [
  { name: 'completion rate', get: (s) => s.completion_rate, grain: 0.05, show: percent },
  { name: 'first-try rate', get: (s) => s.first_try_rate, grain: 0.1, show: percent },
  { name: 'cycle time', get: (s) => s.cycle_time_s, grain: 30, show: seconds },
  { name: 'cost per task', get: (s) => s.cost_per_task_usd, grain: 0.05, show: dollars },
  { name: 'retries per task', get: (s) => s.retries_per_task, grain: 0.25, show: plain },
  { name: 'failures per task', get: (s) => s.failures_per_task, grain: 0.25, show: plain },
  { name: 'utilisation', get: (s) => s.utilisation, grain: 0.1, show: percent },
  { name: 'estimate ratio', get: (s) => s.estimate_ratio, grain: 0.15, show: plain },
];

interface AnomalyFacts {
  /** The sessions that are reported on. */
  readonly sessions: readonly SessionFigures[];
  readonly tasks: readonly TaskFigures[];
  /** Sessions of the repository that have ended, and their tasks; each is compared with those before it alone. */
  readonly history: readonly SessionFigures[];
  readonly pastTasks: readonly TaskFigures[];
}

/**
 * What is out of the ordinary by the repository's own past: the distance from the median in robust standard
 * deviations (from the median absolute deviation, which single odd values don't move). Says nothing before there
 * are 5 ended sessions to compare with, or 20 landed tasks. Whole sessions first, then what is furthest away.
 */
export function findAnomalies(facts: AnomalyFacts): Anomalies {
  const earlierThan = (session: SessionFigures): readonly SessionFigures[] =>
    facts.history.filter(
      ({ session: id, created_at }) => id !== session.session && created_at < session.created_at,
    );
  const found = facts.sessions.flatMap((session) => {
    const past = earlierThan(session);
    const ids = new Set(past.map(({ session: id }) => id));
    return [
      ...metrics.flatMap((metric) => sessionAnomaly(metric, session, past)),
      ...taskAnomalies(
        facts.tasks.filter((task) => task.session === session.session),
        facts.pastTasks.filter((task) => ids.has(task.session)),
      ),
    ];
  });
  const history = Math.max(0, ...facts.sessions.map((session) => earlierThan(session).length));
  const order = (a: Anomaly, b: Anomaly): number =>
    Number(a.task !== null) - Number(b.task !== null) || Math.abs(b.score) - Math.abs(a.score);
  return { history, needed: neededSessions, found: found.toSorted(order) };
}

function sessionAnomaly(
  { name, get, grain, show }: Metric,
  session: SessionFigures,
  past: readonly SessionFigures[],
): readonly Anomaly[] {
  const value = get(session);
  const known = past.flatMap((other) => get(other) ?? []);
  if (value === null || known.length < neededSessions) return [];
  const { usual, score } = distance(value, known, grain);
  if (Math.abs(score) < threshold) return [];
  const says = `${name} is ${show(value)}, ${score > 0 ? 'more' : 'less'} than usual: ${show(usual)} over ${known.length} sessions`;
  return [
    { session: session.session, task: null, metric: name, value, median: usual, score: round(score), says },
  ];
}

/** Single tasks that took much longer or cost much more than tasks here do. */
function taskAnomalies(tasks: readonly TaskFigures[], past: readonly TaskFigures[]): readonly Anomaly[] {
  const kinds = [
    { name: 'cycle time', get: (task: TaskFigures) => task.cycle_time_s, grain: 60, show: seconds },
    {
      name: 'cost',
      get: (task: TaskFigures) => (task.status === 'merged' && task.cost_usd > 0 ? task.cost_usd : null),
      grain: 0.05,
      show: dollars,
    },
  ];
  return kinds.flatMap(({ name, get, grain, show }) => {
    const known = past.flatMap((task) => get(task) ?? []);
    if (known.length < neededTasks) return [];
    return tasks.flatMap((task) => {
      const value = get(task);
      if (value === null) return [];
      const { usual, score } = distance(value, known, grain);
      if (score < threshold) return [];
      const says = `${task.task}: ${name} is ${show(value)}, more than usual: ${show(usual)} over ${known.length} tasks`;
      return [
        {
          session: task.session,
          task: task.task,
          metric: name,
          value,
          median: usual,
          score: round(score),
          says,
        },
      ];
    });
  });
}

function distance(
  value: number,
  known: readonly number[],
  grain: number,
): { readonly usual: number; readonly score: number } {
  const usual = median(known);
  const spread = madScale * median(known.map((other) => Math.abs(other - usual)));
  return { usual, score: (value - usual) / Math.max(spread, grain) };
}

function percent(value: number): string {
  return `${Math.round(value * 100)} %`;
}

function dollars(value: number): string {
  return `$${value.toFixed(2)}`;
}

function seconds(value: number): string {
  return `${Math.round(value)} s`;
}

function plain(value: number): string {
  return String(round(value));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
