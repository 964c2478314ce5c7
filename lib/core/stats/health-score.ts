import type {
  Anomalies,
  Anomaly,
  Health,
  HealthPart,
  SessionFigures,
  TaskFigures,
} from '../../domain/view-models/stats-report.ts';
import { computeRatio, median } from './distribution.ts';

/** Inputs of the health score, as counts that add up over sessions. */
export const zeroHealthCounts = {
  landed: 0,
  /** Landed, failed, blocked or dropped. */
  settled: 0,
  /** Landed with one attempt. */
  firstTry: 0,
  passed: 0,
  verdicts: 0,
  /** Attempts that ended in work that was accepted, and all that ended. */
  good: 0,
  ended: 0,
  /** Seconds that worker slots were in use, and could have been. */
  busy: 0,
  usable: 0,
  /** US dollars spent and estimated, if all went well and at worst, of sessions with an estimate. */
  usd: 0,
  base: 0,
  worst: 0,
  /** Commits whose checks were run again, and those of them that came out the same. */
  verified: 0,
  same: 0,
};
export type HealthCounts = Readonly<typeof zeroHealthCounts>;

export function sumHealthCounts(all: readonly HealthCounts[]): HealthCounts {
  const sum = { ...zeroHealthCounts };
  for (const counts of all)
    for (const key of Object.keys(zeroHealthCounts) as (keyof HealthCounts)[]) sum[key] += counts[key];
  return sum;
}

/**
 * Computes a health score from 0 to 1, with its parts and their reasons. A part without data counts neither for nor
 * against.
 */
export function computeHealthScore(counts: HealthCounts): Health {
  const { landed, settled, firstTry, passed, verdicts, good, ended, busy, usable, verified, same } = counts;
  const slots = usable === 0 ? 'an unknown part' : `${Math.round((busy / usable) * 100)} %`;
  const parts = [
    ratio('landed', 0.3, [landed, settled], 'settled tasks landed'),
    ratio('first try', 0.2, [firstTry, landed], 'landed tasks took one attempt'),
    ratio('verdicts', 0.15, [passed, verdicts], 'verdicts are pass'),
    ratio('attempts', 0.15, [good, ended], 'attempts made work that follows the rules'),
    costPart(counts),
    part('slots', 0.05, computeRatio(busy, usable), `${slots} of the usable worker slots were in use`),
    ratio('evidence', 0.05, [same, verified], 'commits gave the same results when checked again'),
  ];
  const known = parts.filter(({ value }) => value !== null);
  const weight = known.reduce((sum, { weight }) => sum + weight, 0);
  const total = known.reduce((sum, { value, weight }) => sum + (value ?? 0) * weight, 0);
  return { score: weight === 0 ? null : roundTo3(total / weight), parts };
}

/** 1 up to the estimate, 0 from what the worst case was expected to cost. */
function costPart({ usd, base, worst }: HealthCounts): HealthPart {
  if (base <= 0) return part('cost', 0.1, null, 'no estimate to compare the cost with');
  const over = Math.max(0, usd - base) / Math.max(worst - base, base);
  const says = `$${usd.toFixed(2)} spent, $${base.toFixed(2)} estimated, $${worst.toFixed(2)} at worst`;
  return part('cost', 0.1, Math.max(0, 1 - over), says);
}

function ratio(name: string, weight: number, [some, all]: readonly [number, number], what: string): HealthPart {
  return part(name, weight, computeRatio(some, all), `${some} of ${all} ${what}`);
}

function part(name: string, weight: number, value: number | null, says: string): HealthPart {
  return { name, value: value === null ? null : roundTo3(value), weight, says };
}

function roundTo3(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

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
    facts.history.filter(({ session: id, created_at }) => id !== session.session && created_at < session.created_at);
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

/** The figures that are far from those of the past; of tasks, whose name `requireTaskInView` has, those that are far above. */
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
