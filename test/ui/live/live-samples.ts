import type { SessionId } from '../../../lib/domain/ids.ts';
import type { Role } from '../../../lib/domain/role.ts';
import {
  type BoardAgent,
  type BoardSession,
  type BoardState,
  type BoardTask,
  emptyBoardState,
} from '../../../lib/domain/view-models/board-view.ts';
import type { RunEventBody } from '../../../lib/domain/view-models/run-event.ts';
import { applyEventToLiveState, takeSessionView } from '../../../lib/ui/live/apply-live-event.ts';
import { applyLiveKey, type LiveKey } from '../../../lib/ui/live/live-keys.ts';
import { emptyLiveState, type LiveState } from '../../../lib/ui/live/live-state.ts';

export const second = 1_000;

const start = new Date(0).toISOString();

const session: BoardSession = {
  ...{ id: 'ses-20260206-143022-1a2b' as SessionId, objective: 'Add prices', title: 'Add prices', base_branch: 'main' },
  ...{ cycle: 1, wave: 'work', state: 'active', created_at: start, cost_usd: 1.86, tokens: 33_702 },
  ...{ lands_on: null, budget: { unit: 'usd', limit: 10, spent: 1.86 }, spend: [], estimate_usd: null, next: null },
};

interface TaskFields extends Partial<BoardTask> {
  readonly id?: string;
  /** Milliseconds of its last agent. */
  readonly took_ms?: number;
}

type LiveTaskSample = readonly [id: string, task: BoardTask];

export function liveTask(
  number: number,
  { id = `task-00${number}`, took_ms, ...fields }: TaskFields = {},
): LiveTaskSample {
  const times: BoardTask['times'] = took_ms === undefined ? [] : [{ kind: 'works', from: 0, to: took_ms }];
  const task: BoardTask = {
    ...{ title: `Do thing ${number}`, status: 'pending', verdict: null, times, group: 'main', priority: 1, needs: [] },
    ...{ overlap: null, locks: [], by: null, attempts: 0, cost_usd: 0, tokens: 0, because: [] },
    ...fields,
  };
  return [id, task];
}

export function liveSession(tasks: readonly LiveTaskSample[], fields: Partial<BoardSession> = {}): BoardState {
  return { ...emptyBoardState, is_running: true, session: { ...session, ...fields }, tasks: Object.fromEntries(tasks) };
}

/** A view of a session with these tasks, on which nothing is at work. */
export function liveOf(...tasks: readonly LiveTaskSample[]): LiveState {
  return { ...emptyLiveState, view: liveSession(tasks) };
}

export function liveAgent(id: string, role: Role, task: string | null): BoardAgent {
  return {
    ...{ id, role, task, adapter: 'claude', started_at: start, last_activity_at: start, activity: '', recent: [] },
    ...{ cost_usd: 0, tokens: 0, blocked: 0 },
    budget: role === 'validator' ? { unit: 'tokens', limit: 50_000 } : { unit: 'usd', limit: 1 },
  };
}

/** The state after events; agents and checks are in the session as it is read then. */
export function after(before: LiveState, ...events: readonly RunEventBody[]): LiveState {
  return events.reduce((state, event) => {
    const { view } = state;
    const next = applyEventToLiveState(state, event, 0);
    if (event.event === 'agent-started') {
      const agents = [...view.agents, liveAgent(event.agent, event.role, event.task)];
      return takeSessionView(next, { ...view, agents });
    }
    if (event.event !== 'check') return next;
    const { id, command } = event;
    const others = view.checks.filter((check) => check.id !== id);
    const check = { id, command, about: event.about ?? '', started_at: start, output: '', before: [] };
    return takeSessionView(next, { ...view, checks: event.state === 'started' ? [...others, check] : others });
  }, before);
}

export function startAgent(number: number, role: 'worker' | 'validator' = 'worker'): RunEventBody {
  return { event: 'agent-started', agent: `${role}-0000000${number}`, role, task: `task-00${number}`, pid: number };
}

export function doAction(number: number, text: string, role: 'worker' | 'validator' = 'worker'): RunEventBody {
  const spent = { tokens: 1_234 * number, cost_usd: 0.12 * number };
  return { event: 'agent-activity', agent: `${role}-0000000${number}`, text, ...spent };
}

/** A work wave with a task of each kind; two are worked on. */
export function liveWork(): LiveState {
  const failed = ['The script ended with exit code 3.'];
  return after(
    liveOf(
      liveTask(1, { title: 'Read the price', status: 'claimed' }),
      liveTask(2, { title: 'Show the price', status: 'claimed' }),
      liveTask(3, { title: 'Sort by price', status: 'done', verdict: 'pass', by: 'worker-00000003', took_ms: 61_000 }),
      liveTask(4, { title: 'Write JSON', status: 'failed', because: failed }),
      liveTask(5, { title: 'Refuse what is below zero', needs: ['task-001'] }),
      liveTask(6, { title: 'Document it' }),
    ),
    { event: 'wave-started', wave: 'work', cycle: 1 },
    startAgent(1),
    startAgent(2, 'validator'),
    doAction(1, 'edits src/1.ts'),
    doAction(2, 'reads src/2.ts', 'validator'),
  );
}

export function press(state: LiveState, ...keys: readonly LiveKey[]): LiveState {
  return keys.reduce((now, key) => applyLiveKey(now, key).state, state);
}
