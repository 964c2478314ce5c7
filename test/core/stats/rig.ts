import type { SessionRecord } from '../../../lib/core/stats/compute-stats.ts';
import { type ObjectId, parseRefName, parseSessionId } from '../../../lib/domain/ids.ts';
import type { StateLogEntry } from '../../../lib/domain/ports/store-port.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import type { Task, TaskStatus } from '../../../lib/domain/state/task-schema.ts';
import { makeTask } from '../../support/tasks.ts';
import { emptySession } from '../merge-random.ts';

/** When the sessions of the rig begin. */
export const beginning = Date.parse('2026-02-06T14:00:00.000Z');

/** ISO time so many seconds after the beginning. */
export function after(seconds: number): string {
  return new Date(beginning + seconds * 1_000).toISOString();
}

/** A move of a task: seconds after the beginning, and its new status. */
export type Move = readonly [seconds: number, to: TaskStatus, failure?: StateLogEntry['trailers']];

/** A task with its life, and the commits that tell it, oldest first. */
export function life(
  id: string,
  moves: readonly Move[],
  fields: Parameters<typeof makeTask>[1] = {},
): { readonly task: Task; readonly log: readonly StateLogEntry[] } {
  let from: TaskStatus = 'pending';
  const log = moves.map(([seconds, to, failure = {}]): StateLogEntry => {
    const transition = `${from} -> ${to}`;
    from = to;
    const session = (fields.session ?? emptySession.id) as string;
    const trailers = { Task: id, Session: session, Transition: transition, ...failure };
    return {
      commit: '0'.repeat(40) as ObjectId,
      ref: parseRefName('refs/blueflame/tasks'),
      at: after(Math.floor(seconds)),
      author: 'Lea Lead <lea@example.com>',
      subject: `${id}: ${transition}`,
      body: '',
      trailers,
    };
  });
  const [last] = moves.at(-1) ?? [0];
  const times = { created_at: after(0), updated_at: after(last) };
  return { task: makeTask(id, { ...times, ...fields, status: from }), log };
}

/** What is recorded of a session with these tasks. */
export function record(
  lives: readonly ReturnType<typeof life>[],
  session: Partial<Session> = {},
  more: Partial<SessionRecord> = {},
): SessionRecord {
  return {
    session: { ...emptySession, state: 'ended', created_at: after(0), ...session },
    tasks: lives.map(({ task }) => task),
    log: lives
      .flatMap(({ log }) => log)
      .toSorted((a, b) => (a.at < b.at ? 1 : -1))
      .map((entry) => entry),
    verdicts: [],
    blocked: new Map(),
    verified: { same: 0, all: 0 },
    ...more,
  };
}

/** An ended session so many hours later, whose tasks all took so many seconds and cost so much each. */
export function pastSession(
  number: number,
  {
    tasks = 4,
    seconds = 60,
    usd = 0.2,
  }: { readonly tasks?: number; readonly seconds?: number; readonly usd?: number } = {},
): SessionRecord {
  const id = parseSessionId(`ses-20260206-1430${String(number).padStart(2, '0')}-1a2b`);
  const start = number * 3_600;
  const lives = Array.from({ length: tasks }, (_, index) =>
    life(
      `task-${index + 1}`,
      [
        [start + 1, 'claimed'],
        [start + 1 + seconds / 2, 'done'],
        [start + 1 + seconds, 'merged'],
      ],
      { session: id, created_at: after(start) },
    ),
  );
  const agents = lives.map(({ task }, index) => run(`worker-${index}`, task.id, usd));
  return record(lives, {
    id,
    created_at: after(start),
    cost_usd: usd * tasks,
    spend: { worker: { runs: tasks, cost_usd: usd * tasks, tokens: 0 } },
    agents,
    estimate: { base_usd: 1, with_retries_usd: 3 },
  });
}

/** A worker's run of ten seconds. */
export function run(id: string, task: string, cost_usd: number): Session['agents'][number] {
  return {
    id,
    role: 'worker',
    task_id: task,
    model: 'sonnet',
    started_at: after(0),
    ended_at: after(10),
    outcome: 'ended',
    cost_usd,
    tokens: 100,
  };
}
