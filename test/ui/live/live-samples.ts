import type { RunEventBody } from '../../../lib/domain/view-models/run-event.ts';
import { applyEventToLiveState } from '../../../lib/ui/live/apply-live-event.ts';
import { applyLiveKey, type LiveKey } from '../../../lib/ui/live/live-keys.ts';
import {
  emptyLiveState,
  type LiveSessionFacts,
  type LiveState,
  type LiveTask,
} from '../../../lib/ui/live/live-state.ts';

export const second = 1_000;

const budget = { unit: 'usd', limit: 1 } as const;

export function liveTask(number: number, fields: Partial<LiveTask> = {}): LiveTask {
  return {
    ...{ id: `task-00${number}`, title: `Do thing ${number}`, status: 'pending', verdict: null },
    ...{ why: '', agent: null, took_ms: null },
    ...fields,
  };
}

export function liveFacts(tasks: readonly LiveTask[], fields: Partial<LiveSessionFacts> = {}): LiveSessionFacts {
  return {
    title: 'Add prices',
    tasks,
    spent: { cost_usd: 1.5, tokens: 30_000 },
    budget: { unit: 'usd', limit: 10 },
    agentBudgets: {
      planner: budget,
      worker: budget,
      validator: { unit: 'tokens', limit: 50_000 },
      merger: { unit: 'usd', limit: 0 },
      queen: budget,
    },
    outputs: [],
    ...fields,
  };
}

export function after(state: LiveState, ...events: readonly RunEventBody[]): LiveState {
  return events.reduce((now, event) => applyEventToLiveState(now, event, 0), state);
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
  const tasks = [
    liveTask(1, { title: 'Read the price', status: 'claimed' }),
    liveTask(2, { title: 'Show the price', status: 'claimed' }),
    liveTask(3, { title: 'Sort by price', status: 'done', verdict: 'pass', agent: 'worker-00000003', took_ms: 61_000 }),
    liveTask(4, { title: 'Write JSON', status: 'failed', why: 'The script ended with exit code 3.' }),
    liveTask(5, { title: 'Refuse what is below zero', why: 'its dependency task-001 is claimed' }),
    liveTask(6, { title: 'Document it' }),
  ];
  const state = after(
    { ...emptyLiveState, facts: liveFacts(tasks) },
    { event: 'wave-started', wave: 'work', cycle: 1 },
    startAgent(1),
    startAgent(2, 'validator'),
    doAction(1, 'edits src/1.ts'),
    doAction(2, 'reads src/2.ts', 'validator'),
  );
  return state;
}

export function press(state: LiveState, ...keys: readonly LiveKey[]): LiveState {
  return keys.reduce((now, key) => applyLiveKey(now, key).state, state);
}
