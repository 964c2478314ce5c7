import type { SessionId } from '../../../lib/domain/ids.ts';
import type { QuestionData } from '../../../lib/domain/questions/question-data.ts';
import {
  type BoardState,
  type BoardStreamLine,
  type BoardTask,
  type BoardTaskDetails,
  emptyBoardState,
} from '../../../lib/domain/view-models/board-view.ts';
import type { MachineSession } from '../../../lib/domain/view-models/machine-sessions-view.ts';
import { type BoardServer, openBoardServer } from '../../../lib/ui/board/board-server.ts';
import type { BoardSource } from '../../../lib/ui/board/board-tabs.ts';
import { at, commitA } from '../samples.ts';

/** A board over states that a test makes up. */
export interface FakeBoard {
  readonly board: BoardServer;
  /** What was answered on it, in order. */
  readonly answers: readonly unknown[];
  /** What was stopped on it. */
  readonly stopped: readonly unknown[];
  show(state: BoardState): void;
}

interface Told {
  readonly stream?: readonly BoardStreamLine[];
  readonly details?: Partial<BoardTaskDetails>;
  readonly text?: string;
  readonly others?: readonly MachineSession[];
}

export async function openFakeBoard({
  stream = [],
  details = {},
  text = 'text',
  others,
}: Told = {}): Promise<FakeBoard> {
  let state = emptyBoardState;
  const watching = new Set<() => void>();
  const answers: unknown[] = [];
  const stopped: unknown[] = [];
  const source: BoardSource = {
    read: async () => state,
    task: async () => ({ ...noDetails, ...details }),
    follow: async (_, hear, signal) => {
      hear(stream);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return true;
    },
    sendHint: async () => undefined,
    stopAgent: async (agent, retry) => void stopped.push({ agent, retry }),
    answer: async (_, { answer }) => void answers.push(answer),
    gateText: async () => text,
    watch: (onChange) => {
      watching.add(onChange);
      return () => watching.delete(onChange);
    },
  };
  const theme = { read: async () => 'auto' as const, write: async () => undefined };
  const board = await openBoardServer({
    source,
    theme,
    farewell: { ended: 'This run has ended.', isRunOver: true },
    ...(others === undefined ? {} : { readOtherSessions: async () => others }),
  });
  return {
    ...{ board, answers, stopped },
    show: (next) => {
      state = next;
      for (const tell of watching) tell();
    },
  };
}

const noDetails: BoardTaskDetails = {
  ...{ description: 'Do it.', acceptance: [], constraints: [], adapter: null, model: null },
  ...{ prompt: null, prompt_missing: 'It has begun.', attempts: [], verdicts: [], notes: [], agents: [] },
  ...{ files: [], next: [] },
};

const session = 'ses-20260206-143022-1a2b' as SessionId;

export function fakeTask(changes: Partial<BoardTask> = {}): BoardTask {
  return {
    ...{
      title: 'Lock out',
      status: 'pending',
      verdict: null,
      times: [],
      group: 'auth',
      priority: 1,
      needs: [],
      overlap: null,
      locks: [],
    },
    ...{ by: null, attempts: 0, cost_usd: 0, tokens: 0, because: [] },
    ...changes,
  };
}

const waves = ['plan', 'work', 'validate', 'merge', 'review'] as const;

/** The waves of a cycle, those before the one it is in of two minutes each. */
export function fakeWaves(wave: (typeof waves)[number]): BoardState['waves'] {
  const now = waves.indexOf(wave);
  return waves.map((one, index) => ({
    wave: one,
    stands: index < now ? 'done' : index === now ? 'now' : 'next',
    took_ms: index < now ? 120_000 : 0,
    since: index === now ? Date.parse(at) : null,
  }));
}

/** A session with something in every part of the board. */
export function busyBoard(changes: Partial<BoardState> = {}): BoardState {
  return {
    ended_checks: [
      {
        ...{ id: 'command-0', command: 'npm test', about: 'task-001', ended_at: '2026-02-06T14:31:00.000Z' },
        ...{ result: 'exit 1', is_good: false, took_ms: 1_200 },
      },
    ],
    is_running: true,
    session: {
      ...{ id: session, title: 'Add a login', objective: 'Add a login with a password', base_branch: 'main' },
      ...{
        lands_on: null,
        cycle: 1,
        wave: 'work',
        state: 'active',
        created_at: at,
        cost_usd: 1.2,
        tokens: 5_000,
      },
      ...{ budget: { unit: 'usd', spent: 1.2, limit: 5 }, spend: [], estimate_usd: null, next: null },
    },
    sessions: [
      { id: session, title: 'Add a login', state: 'active', wave: 'work', created_at: at, cost_usd: 1.2 },
      {
        id: 'ses-20260205-143022-1a2b' as SessionId,
        title: 'Before',
        state: 'ended',
        wave: 'review',
        created_at: at,
        cost_usd: 0,
      },
    ],
    tasks: {
      one: fakeTask({ status: 'claimed', by: 'worker-1a2b3c4d', attempts: 1, cost_usd: 0.3 }),
      two: fakeTask({ status: 'done', verdict: 'fail', needs: ['one'], because: ['a check fails'] }),
      three: fakeTask({ status: 'merged', verdict: 'pass', needs: ['one'] }),
      four: fakeTask({ status: 'dropped', because: ['not wanted'] }),
      five: fakeTask({ status: 'failed', attempts: 3, because: ['it ran out of time'] }),
      six: fakeTask({ status: 'proposed' }),
      seven: fakeTask({ status: 'done', verdict: 'pass' }),
    },
    agents: [
      {
        ...{ id: 'worker-1a2b3c4d', role: 'worker', task: 'one', adapter: 'claude', started_at: at },
        ...{ last_activity_at: at, activity: 'Bash npm test', cost_usd: 0.3, tokens: 900, blocked: 2, budget: null },
        recent: [{ kind: 'said', text: 'I look at the file.' }],
      },
    ],
    hints: [{ id: 'h1', agent: 'worker-1a2b3c4d', text: 'Use scrypt.', state: 'followed', next: 'Edit' }],
    checks: [
      {
        ...{ id: 'c1', command: 'npm test', about: 'two', started_at: at, output: 'ok 1\nnot ok 2\n' },
        before: [{ command: 'npm run lint', result: 'exit 1', is_good: false, took_ms: 900 }],
      },
    ],
    gate: null,
    decided: [
      {
        id: 'g0',
        session,
        gate: 'plan',
        about: 'the plan',
        answer: 'approved',
        where: 'board',
        by: 'Lea',
        at,
      },
    ],
    changesets: [
      {
        ...{ id: '1-auth', group: 'auth', tasks: ['two' as never], state: 'waiting', commit: commitA },
        ...{
          diffstat: { files: 2, insertions: 9, deletions: 1 },
          reason: null,
          red: true,
          by: null,
          try_command: null,
        },
      },
    ],
    notices: ['three and two change the same lines of src/a.txt'],
    log: [{ at, who: 'Lea Lead', task: null, text: 'the plan was approved' }],
    waves: fakeWaves('work'),
    runs: [],
    ...changes,
  };
}

export function asking(asks: QuestionData): Partial<BoardState> {
  return { gate: { id: `gate-${asks.gate}`, session, asked_at: at, asks } };
}
