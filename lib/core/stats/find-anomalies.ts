import type { Anomalies, Anomaly, SessionFigures, TaskFigures } from '../../domain/shown/stats.ts';
import { median } from './distribution.ts';

const neededSessions = 5;
const neededTasks = 20;
/** Robust standard deviations from which a value is out of the ordinary (Iglewicz and Hoaglin). */
const threshold = 3.5;
/** Makes the median absolute deviation of a normal distribution its standard deviation. */
const madScale = 1.4826;

interface Metric<Figures> {
  readonly name: string;
  get(figures: Figures): number | null;
  /** The smallest spread that is taken seriously: where all were alike, a little more is no anomaly. */
  readonly grain: number;
  show(value: number): string;
}

const sessionMetrics: readonly Metric<SessionFigures>[] = [
  { name: 'completion rate', get: (s) => s.completion_rate, grain: 0.05, show: percent },
  { name: 'first-try rate', get: (s) => s.first_try_rate, grain: 0.1, show: percent },
  { name: 'cycle time', get: (s) => s.cycle_time_s, grain: 30, show: seconds },
  { name: 'cost per task', get: (s) => s.cost_per_task_usd, grain: 0.05, show: dollars },
  { name: 'retries per task', get: (s) => s.retries_per_task, grain: 0.25, show: plain },
  { name: 'failures per task', get: (s) => s.failures_per_task, grain: 0.25, show: plain },
  { name: 'utilisation', get: (s) => s.utilisation, grain: 0.1, show: percent },
  { name: 'estimate ratio', get: (s) => s.estimate_ratio, grain: 0.15, show: plain },
];

const taskMetrics: readonly Metric<TaskFigures>[] = [
  { name: 'cycle time', get: (task) => task.cycle_time_s, grain: 60, show: seconds },
  {
    name: 'cost',
    get: (task) => (task.status === 'merged' && task.cost_usd > 0 ? task.cost_usd : null),
    grain: 0.05,
    show: dollars,
  },
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
 * Finds sessions and tasks that are out of the ordinary by the repository's own past: the distance from the median in
 * robust standard deviations (from the median absolute deviation, which single odd values don't move). Finds nothing
 * before there are 5 ended sessions, or 20 landed tasks. Whole sessions first, then by distance.
 */
export function findAnomalies(facts: AnomalyFacts): Anomalies {
  const earlierThan = (session: SessionFigures): readonly SessionFigures[] =>
    facts.history.filter(
      ({ session: id, created_at }) => id !== session.session && created_at < session.created_at,
    );
  const found = facts.sessions.flatMap((session) => {
    const past = earlierThan(session);
    const ids = new Set(past.map(({ session: id }) => id));
    const own = facts.tasks.filter((task) => task.session === session.session);
    const pastTasks = facts.pastTasks.filter((task) => ids.has(task.session));
    return [
      ...sessionMetrics.flatMap((metric) => farOff(metric, [session], past, () => null)),
      ...taskMetrics.flatMap((metric) => farOff(metric, own, pastTasks, ({ task }) => task)),
    ];
  });
  const history = Math.max(0, ...facts.sessions.map((session) => earlierThan(session).length));
  const order = (a: Anomaly, b: Anomaly): number =>
    Number(a.task !== null) - Number(b.task !== null) || Math.abs(b.score) - Math.abs(a.score);
  return { history, needed: neededSessions, found: found.toSorted(order) };
}

/** The figures that are far from those of the past; of tasks, whose name `taskOf` has, those that are far above. */
function farOff<Figures extends { readonly session: string }>(
  { name, get, grain, show }: Metric<Figures>,
  figures: readonly Figures[],
  past: readonly Figures[],
  taskOf: (figures: Figures) => string | null,
): readonly Anomaly[] {
  const known = past.flatMap((other) => get(other) ?? []);
  const usual = median(known);
  const spread = Math.max(madScale * median(known.map((other) => Math.abs(other - usual))), grain);
  return figures.flatMap((one) => {
    const [session, task, value] = [one.session, taskOf(one), get(one)];
    if (value === null || known.length < (task === null ? neededSessions : neededTasks)) return [];
    const score = (value - usual) / spread;
    if ((task === null ? Math.abs(score) : score) < threshold) return [];
    const over = `${known.length} ${task === null ? 'sessions' : 'tasks'}`;
    const than = `${score > 0 ? 'more' : 'less'} than usual: ${show(usual)} over ${over}`;
    const says = `${task === null ? '' : `${task}: `}${name} is ${show(value)}, ${than}`;
    return [{ session, task, metric: name, value, median: usual, score: roundTo2(score), says }];
  });
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
  return String(roundTo2(value));
}

function roundTo2(value: number): number {
  return Math.round(value * 100) / 100;
}
