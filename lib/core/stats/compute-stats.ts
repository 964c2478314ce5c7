import type { LogEntry } from '../../domain/ports/store-port.ts';
import type { SessionFigures, Stats, TaskFigures } from '../../domain/shown/stats.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task, TaskStatus } from '../../domain/state/task.ts';
import { taskStatuses } from '../../domain/state/task-statuses.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { agentFigures, roleFigures, taskCost } from './cost-figures.ts';
import { distribution } from './distribution.ts';
import { failuresByRule } from './failures-by-rule.ts';
import { findAnomalies } from './find-anomalies.ts';
import { type Flow, measureFlow } from './flow.ts';
import { type HealthFacts, healthScore } from './health.ts';
import { type TaskSpans, taskSpans } from './task-spans.ts';
import { countAttempts, taskTimes, timesOf } from './task-times.ts';

/** What is recorded about one session. */
export interface SessionRecord {
  readonly session: Session;
  readonly tasks: readonly Task[];
  /** Its commits on the ref of the tasks, newest first. */
  readonly log: readonly LogEntry[];
  readonly verdicts: readonly Verdict[];
  /** Calls of its agents that the watcher blocked, by rule, as far as their audits are on this machine. */
  readonly blocked: ReadonlyMap<string, number>;
  /** Commits whose checks were run again, and how many came out the same. */
  readonly verified: { readonly same: number; readonly all: number };
}

interface StatsFacts {
  /** What to report on, oldest first. */
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
  readonly facts: HealthFacts;
  readonly figures: SessionFigures;
}

/** All figures about the reported sessions; from what is recorded and nothing else. */
export function computeStats({ reported, all, slots, now }: StatsFacts): Stats {
  const measured = new Map(all.map((record) => [record.session.id, measure(record, slots)]));
  const shown = reported.flatMap(({ session }) => measured.get(session.id) ?? []);
  const tasks = shown.flatMap((one) => one.tasks);
  const spans = shown.flatMap((one) => one.spans);
  const flow = shown.length === 1 && shown[0] !== undefined ? shown[0].flow : measureFlow(spans, slots);
  const times = spans.flatMap((task) => taskTimes(task) ?? []);
  const sessions = shown.map(({ record }) => record.session);
  const attempts = sum(tasks.map((task) => task.attempts));
  const facts = joinFacts(shown, flow);
  return {
    schema_version: 1,
    at: now.toISOString(),
    sessions: shown.map(({ figures }) => figures),
    tasks: {
      total: tasks.length,
      by_status: byStatus(tasks),
      completion_rate: share(facts.landed, facts.settled),
      first_try_rate: share(facts.firstTry, facts.landed),
      list: tasks,
    },
    times_s: timesOf(times),
    queue: flow.queue,
    utilisation: {
      value: share(flow.busy_s, flow.usable_s),
      slots,
      busy_s: flow.busy_s,
      usable_s: flow.usable_s,
    },
    retries: {
      attempts,
      retried_tasks: tasks.filter((task) => task.attempts > 1).length,
      per_task: retriesPerTask(tasks),
    },
    failures: failuresByRule(joinFailures(shown)),
    cost: costOf(sessions, tasks),
    health: healthScore(facts),
    anomalies: findAnomalies({
      sessions: shown.map(({ figures }) => figures),
      tasks,
      history: [...measured.values()].map(({ figures }) => figures).filter(({ state }) => state === 'ended'),
      pastTasks: [...measured.values()]
        .flatMap((one) => one.tasks)
        .filter(({ status }) => status === 'merged'),
    }),
    flow: flow.points,
  };
}

function measure(record: SessionRecord, slots: number): Measured {
  const { session, verdicts, verified } = record;
  const spans = taskSpans(record.tasks, record.log);
  const flow = measureFlow(spans, slots);
  const tasks = spans.map((task) => taskFigures(task, record));
  const settled: readonly TaskStatus[] = ['merged', 'failed', 'blocked', 'dropped'];
  const landed = tasks.filter(({ status }) => status === 'merged');
  const { estimate } = session;
  const facts: HealthFacts = {
    landed: landed.length,
    settled: tasks.filter(({ status }) => settled.includes(status)).length,
    firstTry: landed.filter(({ attempts }) => attempts <= 1).length,
    verdicts: { passed: verdicts.filter(({ status }) => status === 'pass').length, all: verdicts.length },
    attempts: endedAttempts(spans),
    utilisation: share(flow.busy_s, flow.usable_s),
    cost: estimate === null ? null : { usd: session.cost_usd, ...estimate },
    verified,
  };
  return { record, spans, tasks, flow, facts, figures: sessionFigures(record, tasks, facts) };
}

function taskFigures(task: TaskSpans, { session, verdicts }: SessionRecord): TaskFigures {
  const { id, title, status } = task.task;
  return {
    session: session.id,
    task: id,
    title,
    status,
    attempts: countAttempts(task.spans),
    cycle_time_s: taskTimes(task)?.cycle ?? null,
    ...taskCost(session, task.task, verdicts),
  };
}

function sessionFigures(
  record: SessionRecord,
  tasks: readonly TaskFigures[],
  facts: HealthFacts,
): SessionFigures {
  const { session } = record;
  const failures = sum(
    failuresByRule({ ...record, doubtful: 0, blocked: new Map() }).map((one) => one.count),
  );
  const base = session.estimate?.base_usd ?? 0;
  return {
    session: session.id,
    objective: session.objective,
    created_at: session.created_at,
    state: session.state,
    tasks: tasks.length,
    cost_usd: session.cost_usd,
    completion_rate: share(facts.landed, facts.settled),
    first_try_rate: share(facts.firstTry, facts.landed),
    cycle_time_s: distribution(tasks.flatMap((task) => task.cycle_time_s ?? []))?.median ?? null,
    cost_per_task_usd: share(session.cost_usd, facts.landed),
    retries_per_task: retriesPerTask(tasks),
    failures_per_task: share(failures, tasks.length),
    utilisation: facts.utilisation,
    estimate_ratio: share(session.cost_usd, base),
    health: healthScore(facts).score,
  };
}

function endedAttempts(spans: readonly TaskSpans[]): HealthFacts['attempts'] {
  const ends = spans.flatMap(({ spans: list }) =>
    list.flatMap(({ status }, index) => (status === 'claimed' ? (list[index + 1]?.status ?? []) : [])),
  );
  const good = ends.filter((status) => status === 'done').length;
  return { good, ended: good + ends.filter((status) => status === 'failed').length };
}

function joinFacts(shown: readonly Measured[], flow: Flow): HealthFacts {
  const add = (get: (facts: HealthFacts) => number): number => sum(shown.map(({ facts }) => get(facts)));
  const costs = shown.flatMap(({ facts }) => facts.cost ?? []);
  return {
    landed: add((facts) => facts.landed),
    settled: add((facts) => facts.settled),
    firstTry: add((facts) => facts.firstTry),
    verdicts: { passed: add((facts) => facts.verdicts.passed), all: add((facts) => facts.verdicts.all) },
    attempts: { good: add((facts) => facts.attempts.good), ended: add((facts) => facts.attempts.ended) },
    utilisation: share(flow.busy_s, flow.usable_s),
    cost:
      costs.length === 0
        ? null
        : {
            usd: sum(costs.map(({ usd }) => usd)),
            base_usd: sum(costs.map(({ base_usd }) => base_usd)),
            with_retries_usd: sum(costs.map(({ with_retries_usd }) => with_retries_usd)),
          },
    verified: { same: add((facts) => facts.verified.same), all: add((facts) => facts.verified.all) },
  };
}

function joinFailures(shown: readonly Measured[]): Parameters<typeof failuresByRule>[0] {
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
    per_task: distribution(tasks.filter(({ attempts }) => attempts > 0).map(({ cost_usd }) => cost_usd)),
    roles: roleFigures(sessions),
    agents: sessions.flatMap(agentFigures),
  };
}

function retriesPerTask(tasks: readonly TaskFigures[]): number | null {
  const tried = tasks.filter(({ attempts }) => attempts > 0);
  return share(sum(tried.map(({ attempts }) => attempts - 1)), tried.length);
}

function byStatus(tasks: readonly TaskFigures[]): Stats['tasks']['by_status'] {
  const count = (status: TaskStatus): number => tasks.filter((task) => task.status === status).length;
  return Object.fromEntries(
    taskStatuses.map((status) => [status, count(status)]),
  ) as Stats['tasks']['by_status'];
}

function share(some: number, all: number): number | null {
  return all === 0 ? null : some / all;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
