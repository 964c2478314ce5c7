import type { BoardAgent, BoardState, BoardTask, BoardTaskTime } from '../../domain/view-models/board-view.ts';

/** A time on a lane; times in milliseconds since 1970. */
export interface LaneSpan {
  /** `agent`: one worked; else how its task stood. */
  readonly kind: 'agent' | 'waits' | 'blocked' | 'checks' | 'decides' | 'landed' | 'failed';
  readonly from: number;
  readonly to: number;
  /** It goes on. */
  readonly isOpen: boolean;
  /** The agent's id; '' where none is meant. */
  readonly agent: string;
  readonly role: string;
  /** How the agent ended; '' while it runs, and where it was not noted. */
  readonly outcome: string;
  /** Ids of tasks that it waited for. */
  readonly waitedFor: readonly string[];
}

/** The work on one task, or of agents that have none. */
export interface Lane {
  /** null: the agents of that role have no task. */
  readonly task: string | null;
  readonly role: string;
  readonly spans: readonly LaneSpan[];
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

type Facts = Pick<BoardState, 'runs' | 'agents' | 'tasks'> & {
  /** Where what goes on ends, as far as it is known. */
  readonly now: number;
};

/** Arranges who worked when, and what waited, on lanes in the order in which work began; waiting alone makes no lane. */
export function planLanes({ runs, agents, tasks, now }: Facts): Lanes {
  const worked = [...runs.map(agentSpan), ...agents.map((agent) => runningSpan(agent, now))];
  const byTask = new Map<string, LaneSpan[]>();
  const byRole = new Map<string, LaneSpan[]>();
  for (const { span, task } of worked) {
    const [map, key] = task === null ? [byRole, span.role] : [byTask, task];
    map.set(key, [...(map.get(key) ?? []), span]);
  }
  const stood = Object.entries(tasks).flatMap(([id, task]) => {
    const agents = byTask.get(id) ?? [];
    const spans = [...task.times.flatMap((time) => taskSpan(time, task, { tasks, agents, now })), ...agents];
    return spans.some(({ kind }) => kind !== 'waits') ? [{ task: id, role: '', spans }] : [];
  });
  const lanes: readonly Lane[] = [...byRole].map(([role, spans]) => ({ task: null, role, spans }));
  const all = [...lanes, ...stood].sort((one, other) => begin(one) - begin(other));
  const times = all.flatMap(({ spans }) => spans.flatMap(({ from, to }) => [from, to]));
  return { lanes: all, ...axis(min(times) ?? now, max(times) ?? now) };
}

function agentSpan({ id, role, task, from, to, outcome }: BoardState['runs'][number]) {
  const span: LaneSpan = { ...plain, kind: 'agent', from, to: Math.max(from, to), agent: id, role, outcome };
  return { task, span };
}

function runningSpan({ id, role, task, started_at }: BoardAgent, now: number) {
  const from = Date.parse(started_at);
  const span: LaneSpan = { ...plain, kind: 'agent', from, to: Math.max(from, now), isOpen: true, agent: id, role };
  return { task, span };
}

const plain = { isOpen: false, agent: '', role: '', outcome: '', waitedFor: [] } as const;

function taskSpan(
  { kind, from, to }: BoardTaskTime,
  task: BoardTask,
  { tasks, agents, now }: Pick<Facts, 'tasks' | 'now'> & { readonly agents: readonly LaneSpan[] },
): readonly LaneSpan[] {
  if (kind === 'dropped') return [];
  if (kind === 'works') {
    // Those that cost nothing, and people, are not booked.
    const end = Math.max(from, to ?? now);
    const isBooked = agents.some((one) => one.role === 'worker' && one.from <= end && one.to >= from);
    const by = to === null || to === task.times.findLast((time) => time.kind === 'works')?.to ? (task.by ?? '') : '';
    return isBooked ? [] : [{ ...plain, kind: 'agent', role: 'worker', agent: by, from, to: end, isOpen: to === null }];
  }
  const isMoment = kind === 'landed' || kind === 'failed';
  const end = isMoment ? from : Math.max(from, to ?? now);
  const isWaiting = kind === 'waits' || kind === 'blocked';
  const waitedFor = isWaiting ? task.needs.filter((id) => wasOpenAfter(tasks[id], from)) : [];
  return [{ ...plain, kind, from, to: end, isOpen: to === null && !isMoment, waitedFor }];
}

/** Whether a task's work was not there yet at that time. */
function wasOpenAfter(task: BoardTask | undefined, at: number): boolean {
  const ready = task?.times.find(({ kind }) => kind === 'checks' || kind === 'landed');
  return task !== undefined && (ready === undefined || ready.from > at);
}

function begin({ spans }: Lane): number {
  return min(spans.filter(({ kind }) => kind !== 'waits').map(({ from }) => from)) ?? Number.POSITIVE_INFINITY;
}

const minute = 60_000;
const steps = [0.25, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1_440, 2_880, 10_080].map((count) => count * minute);
const mostTicks = 6;

/** An axis whose end is a tick: nothing on it moves before that is reached. */
function axis(from: number, to: number): Omit<Lanes, 'lanes'> {
  const step = steps.find((one) => (to - from) / one <= mostTicks) ?? (to - from) / mostTicks;
  const count = Math.max(1, Math.ceil((to - from) / step));
  return {
    from,
    to: from + count * step,
    ticks: Array.from({ length: count + 1 }, (_, at) => from + at * step),
  };
}

// Of many, which a call can't take.
function min(numbers: readonly number[]): number | null {
  return numbers.reduce<number | null>((least, one) => (least === null || one < least ? one : least), null);
}

function max(numbers: readonly number[]): number | null {
  return numbers.reduce<number | null>((most, one) => (most === null || one > most ? one : most), null);
}
