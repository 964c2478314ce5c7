import type { StateLogEntry } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { taskStatuses } from '../../domain/state/task-facts.ts';
import type { Task, TaskStatus } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import type { SessionFigures, Stats, TaskFigures } from '../../domain/view-models/stats-report.ts';
import { computeRoleFigures, computeTaskCost, countFailuresByRule, listAgentFigures } from './costs-and-failures.ts';
import { computeDistribution, computeRatio, sum } from './distribution.ts';
import { computeHealthScore, findAnomalies, type HealthCounts, sumHealthCounts } from './health-score.ts';
import { type Flow, measureFlow } from './task-flow.ts';
import {
  buildTaskSpans,
  computeTaskTimes,
  countAttemptsInSpans,
  summarizeTaskTimes,
  type TaskSpans,
} from './task-times.ts';

/** Records of one session. */
export interface SessionRecord {
  readonly session: Session;
  readonly tasks: readonly Task[];
  /** Its commits on the ref of the tasks, newest first. */
  readonly log: readonly StateLogEntry[];
  readonly verdicts: readonly Verdict[];
  /** Calls of its agents that the watcher blocked, by rule, as far as their audits are on this machine. */
  readonly blocked: ReadonlyMap<string, number>;
  /** Commits whose checks were run again, and how many came out the same. */
  readonly verified: { readonly same: number; readonly all: number };
}

interface StatsFacts {
  /** Sessions to report on, oldest first. */
  readonly reported: readonly SessionRecord[];
  /** Every session of the repository, for what is usual here. */
  readonly all: readonly SessionRecord[];
  /** Workers at once. */
  readonly slots: number;
  readonly now: Date;
}

/** One session with all that is derived from its records. */
interface Measured {
  readonly record: SessionRecord;
  readonly spans: readonly TaskSpans[];
  readonly tasks: readonly TaskFigures[];
  readonly flow: Flow;
  readonly counts: HealthCounts;
  readonly figures: SessionFigures;
}

/** All figures about the reported sessions; from what is recorded and nothing else. */
export function computeStats({ reported, all, slots, now }: StatsFacts): Stats {
  const measured = new Map(all.map((record) => [record.session.id, measure(record, slots)]));
  const past = [...measured.values()];
  const shown = reported.flatMap(({ session }) => measured.get(session.id) ?? []);
  const tasks = shown.flatMap((one) => one.tasks);
  const spans = shown.flatMap((one) => one.spans);
  const [only] = shown;
  const flow = only !== undefined && shown.length === 1 ? only.flow : measureFlow(spans, slots);
  const times = spans.flatMap((task) => computeTaskTimes(task) ?? []);
  const sessions = shown.map(({ record }) => record.session);
  const attempts = sum(tasks.map((task) => task.attempts));
  // Sessions share the worker slots.
  const counts = { ...sumHealthCounts(shown.map((one) => one.counts)), busy: flow.busy_s, usable: flow.usable_s };
  return {
    schema_version: 1,
    at: now.toISOString(),
    sessions: shown.map(({ figures }) => figures),
    tasks: {
      total: tasks.length,
      by_status: byStatus(tasks),
      completion_rate: computeRatio(counts.landed, counts.settled),
      first_try_rate: computeRatio(counts.firstTry, counts.landed),
      list: tasks,
    },
    times_s: summarizeTaskTimes(times),
    queue: flow.queue,
    utilisation: {
      value: computeRatio(flow.busy_s, flow.usable_s),
      slots,
      busy_s: flow.busy_s,
      usable_s: flow.usable_s,
    },
    retries: {
      attempts,
      retried_tasks: tasks.filter((task) => task.attempts > 1).length,
      per_task: retriesPerTask(tasks),
    },
    failures: countFailuresByRule(joinFailures(shown)),
    cost: costOf(sessions, tasks),
    health: computeHealthScore(counts),
    anomalies: findAnomalies({
      sessions: shown.map(({ figures }) => figures),
      tasks,
      history: past.map(({ figures }) => figures).filter(({ state }) => state === 'ended'),
      pastTasks: past.flatMap((one) => one.tasks).filter(({ status }) => status === 'merged'),
    }),
    flow: flow.points,
  };
}

function measure(record: SessionRecord, slots: number): Measured {
  const { session, verdicts, verified } = record;
  const spans = buildTaskSpans(record.tasks, record.log);
  const flow = measureFlow(spans, slots);
  const tasks = spans.map((task) => taskFigures(task, record));
  const settled: readonly TaskStatus[] = ['merged', 'failed', 'blocked', 'dropped'];
  const landed = tasks.filter(({ status }) => status === 'merged');
  const { estimate } = session;
  const counts: HealthCounts = {
    landed: landed.length,
    settled: tasks.filter(({ status }) => settled.includes(status)).length,
    firstTry: landed.filter(({ attempts }) => attempts <= 1).length,
    passed: verdicts.filter(({ status }) => status === 'pass').length,
    verdicts: verdicts.length,
    ...endedAttempts(spans),
    busy: flow.busy_s,
    usable: flow.usable_s,
    usd: estimate === null ? 0 : session.cost_usd,
    base: estimate?.base_usd ?? 0,
    worst: estimate?.with_retries_usd ?? 0,
    verified: verified.all,
    same: verified.same,
  };
  return { record, spans, tasks, flow, counts, figures: sessionFigures(record, tasks, counts) };
}

function taskFigures(task: TaskSpans, { session, verdicts }: SessionRecord): TaskFigures {
  const { id, title, status } = task.task;
  return {
    session: session.id,
    task: id,
    title,
    status,
    attempts: countAttemptsInSpans(task.spans),
    cycle_time_s: computeTaskTimes(task)?.cycle ?? null,
    ...computeTaskCost(session, task.task, verdicts),
  };
}

function sessionFigures(record: SessionRecord, tasks: readonly TaskFigures[], counts: HealthCounts): SessionFigures {
  const { session } = record;
  const failures = sum(countFailuresByRule({ ...record, doubtful: 0, blocked: new Map() }).map((one) => one.count));
  const base = session.estimate?.base_usd ?? 0;
  return {
    session: session.id,
    objective: session.objective,
    created_at: session.created_at,
    state: session.state,
    tasks: tasks.length,
    cost_usd: session.cost_usd,
    completion_rate: computeRatio(counts.landed, counts.settled),
    first_try_rate: computeRatio(counts.firstTry, counts.landed),
    cycle_time_s: computeDistribution(tasks.flatMap((task) => task.cycle_time_s ?? []))?.median ?? null,
    cost_per_task_usd: computeRatio(session.cost_usd, counts.landed),
    retries_per_task: retriesPerTask(tasks),
    failures_per_task: computeRatio(failures, tasks.length),
    utilisation: computeRatio(counts.busy, counts.usable),
    estimate_ratio: computeRatio(session.cost_usd, base),
    health: computeHealthScore(counts).score,
  };
}

function endedAttempts(spans: readonly TaskSpans[]): Pick<HealthCounts, 'good' | 'ended'> {
  const ends = spans.flatMap(({ spans: list }) =>
    list.flatMap(({ status }, index) => (status === 'claimed' ? (list[index + 1]?.status ?? []) : [])),
  );
  const good = ends.filter((status) => status === 'done').length;
  return { good, ended: good + ends.filter((status) => status === 'failed').length };
}

function joinFailures(shown: readonly Measured[]): Parameters<typeof countFailuresByRule>[0] {
  const blocked = new Map<string, number>();
  for (const { record } of shown)
    for (const [rule, count] of record.blocked) blocked.set(rule, (blocked.get(rule) ?? 0) + count);
  const records = shown.map(({ record }) => record);
  return {
    tasks: records.flatMap(({ tasks }) => tasks),
    log: records.flatMap(({ log }) => log),
    verdicts: records.flatMap(({ verdicts }) => verdicts),
    blocked,
    doubtful: sum(records.map(({ verified }) => verified.all - verified.same)),
  };
}

function costOf(sessions: readonly Session[], tasks: readonly TaskFigures[]): Stats['cost'] {
  const estimates = sessions.flatMap(({ estimate }) => estimate ?? []);
  return {
    usd: sum(sessions.map(({ cost_usd }) => cost_usd)),
    tokens: sum(sessions.map(({ tokens }) => tokens)),
    estimate:
      estimates.length === 0
        ? null
        : {
            base_usd: sum(estimates.map(({ base_usd }) => base_usd)),
            with_retries_usd: sum(estimates.map(({ with_retries_usd }) => with_retries_usd)),
          },
    per_task: computeDistribution(tasks.filter(({ attempts }) => attempts > 0).map(({ cost_usd }) => cost_usd)),
    roles: computeRoleFigures(sessions),
    agents: sessions.flatMap(listAgentFigures),
  };
}

function retriesPerTask(tasks: readonly TaskFigures[]): number | null {
  const tried = tasks.filter(({ attempts }) => attempts > 0);
  return computeRatio(sum(tried.map(({ attempts }) => attempts - 1)), tried.length);
}

function byStatus(tasks: readonly TaskFigures[]): Stats['tasks']['by_status'] {
  const count = (status: TaskStatus): number => tasks.filter((task) => task.status === status).length;
  return Object.fromEntries(taskStatuses.map((status) => [status, count(status)])) as Stats['tasks']['by_status'];
}
