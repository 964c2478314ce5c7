import type { SessionId } from '../../../lib/domain/ids.ts';
import type { QuestionData } from '../../../lib/domain/questions/question-data.ts';
import type { Role } from '../../../lib/domain/role.ts';
import {
  type BoardAgent,
  type BoardChangeset,
  type BoardState,
  type BoardTask,
  emptyBoardState,
} from '../../../lib/domain/view-models/board-view.ts';
import { commitA } from '../samples.ts';
import { fakeTask } from './fake-board.ts';

const session = 'ses-20260206-143022-1a2b' as SessionId;
const start = Date.now() - 27 * 60_000;

/** So many minutes after the session started, as stored. */
function minute(minutes: number): string {
  return new Date(start + minutes * 60_000).toISOString();
}

const names: readonly (readonly [id: string, title: string, group: string, needs?: readonly string[]])[] = [
  ['task-001', 'Count requests per key in a sliding window of one minute', 'limits'],
  ['task-002', 'Answer 429 with Retry-After once a key is over its limit', 'limits', ['task-001']],
  ['task-003', 'Read limits from settings, with a default for each plan', 'settings'],
  ['task-004', 'Show the remaining requests in the response headers', 'limits', ['task-002']],
  ['task-005', 'Document the limits and the headers for clients', 'docs', ['task-004', 'task-003']],
  ['task-006', 'Back off in the JavaScript client when 429 comes', 'client', ['task-002']],
  ['task-007', 'Log keys that are refused often, once an hour', 'logging'],
  ['task-008', 'Measure what the counter costs at 10,000 keys', 'bench', ['task-001']],
  ['task-009', 'Let an administrator lift the limit of one key for a day', 'settings', ['task-003']],
  ['task-010', 'Migrate the settings of existing customers', 'settings', ['task-009']],
];

function tasksAs(changes: Readonly<Record<string, Partial<BoardTask>>>, all: Partial<BoardTask> = {}) {
  return Object.fromEntries(
    names.map(([id, title, group, needs = []], at) => {
      const task = fakeTask({ title, group, needs, locks: [`src/${group}/`], ...all, ...changes[id] });
      return [id, { ...task, times: timesOf(task, at) }];
    }),
  );
}

const ends = { failed: 'failed', blocked: 'blocked', merged: 'landed', dropped: 'dropped' } as const;

/** A life that ends as the task stands. */
function timesOf({ status, verdict }: BoardTask, at: number): BoardTask['times'] {
  const [began, over] = [4 + at * 1.3, 10 + at * 1.4];
  const waited = { kind: 'waits', from: ms(4), to: ms(began) } as const;
  const worked = { kind: 'works', from: ms(began), to: ms(over) } as const;
  if (status === 'proposed') return [];
  if (status === 'pending' || status === 'requeued') return [{ ...waited, to: null }];
  if (status === 'blocked') return [waited, { kind: 'blocked', from: ms(began + 6), to: null }];
  if (status === 'claimed') return [waited, { ...worked, to: null }];
  const checked = { kind: 'checks', from: ms(over), to: ms(over + 2) } as const;
  if (status === 'done' && verdict === null) return [waited, worked, { ...checked, to: null }];
  if (status === 'done') return [waited, worked, checked, { kind: 'decides', from: ms(over + 2), to: null }];
  return [waited, worked, checked, { kind: ends[status], from: ms(over + 3), to: null }];
}

function ms(minutes: number): number {
  return start + minutes * 60_000;
}

const recent = [
  { kind: 'said', text: 'The counter keeps a window for each key.' },
  { kind: 'call', text: 'Read src/limits/counter.js' },
  { kind: 'call', text: 'Bash npm test -- --grep "sliding window of one minute, at its edge"' },
] as const;

function agent(number: number, task: string | null, more: Partial<BoardAgent> = {}): BoardAgent {
  return {
    ...{ id: `worker-${number}a2b3c4d`, role: 'worker', task, adapter: 'claude', started_at: minute(12 + number) },
    ...{ last_activity_at: minute(26), activity: 'Bash npm test', cost_usd: 0.11 * number, tokens: 40_000 * number },
    ...{ blocked: 0, budget: null, recent },
    ...more,
  };
}

function run(id: string, role: Role, task: string | null, [from, to]: readonly [number, number], outcome = 'done') {
  return { id, role, task, from: ms(from), to: ms(to), outcome, cost_usd: 0.4 };
}

type Wave = BoardState['waves'][number]['wave'];

/** The waves that came before take some minutes each. */
function wavesAt(wave: Wave | 'done'): BoardState['waves'] {
  const order: readonly Wave[] = ['plan', 'work', 'validate', 'merge', 'review'];
  const now = wave === 'done' ? order.length : order.indexOf(wave);
  return order.map((one, at) => ({
    wave: one,
    stands: at < now ? 'done' : at === now ? 'now' : 'next',
    took_ms: at < now ? [247_000, 761_000, 122_000, 4_000, 95_000][at]! : 0,
    since: at === now ? ms(4 + at * 3) : null,
  }));
}

const base: BoardState = {
  ...emptyBoardState,
  is_running: true,
  session: {
    ...{ id: session, title: 'Rate limits for the public API', objective: 'Rate limits for the public API' },
    ...{ base_branch: 'main', lands_on: null, cycle: 1, wave: 'work', state: 'active', created_at: minute(0) },
    ...{ cost_usd: 4.18, tokens: 1_840_000, budget: { unit: 'usd', spent: 4.18, limit: 12 } },
    ...{
      spend: [
        { role: 'planner', runs: 1, cost_usd: 0.62 },
        { role: 'worker', runs: 3, cost_usd: 3.56 },
      ],
    },
    ...{ estimate_usd: 6, next: null },
  },
  sessions: [
    ...(['Rate limits for the public API', 'Search by author', 'Import of shelves'] as const).map((title, at) => ({
      ...{ id: `ses-2026020${6 - at}-143022-1a2b` as SessionId, title, created_at: minute(-1_440 * at) },
      ...{ state: at === 0 ? ('active' as const) : ('ended' as const), wave: 'work' as const, cost_usd: 3 * at },
    })),
  ],
  log: Array.from({ length: 40 }, (_, at) => ({
    at: minute(26 - at * 0.6),
    who: at % 3 === 0 ? '' : 'Lea Lead',
    task: at % 7 === 0 ? null : `task-00${(at % 9) + 1}`,
    text:
      at % 7 === 0 ? 'wave work, cycle 1' : at % 2 === 0 ? 'claimed by worker-1a2b3c4d' : 'judged pass by diagnostics',
  })),
  waves: wavesAt('work'),
  runs: [
    run('planner-1a2b3c4d', 'planner', null, [0, 4]),
    run('worker-0a2b3c4d', 'worker', 'task-001', [4, 10]),
    run('worker-9a2b3c4d', 'worker', 'task-006', [6, 9], 'failed'),
    run('validator-0a2b3c4d', 'validator', 'task-001', [10, 12]),
    run('worker-8a2b3c4d', 'worker', 'task-003', [6, 12]),
  ],
};

function inWave(wave: 'plan' | 'validate' | 'merge' | 'review' | 'done', more: Partial<BoardState>): BoardState {
  const { session: one } = base;
  if (one === null) throw new Error('no session');
  return {
    ...base,
    waves: wavesAt(wave),
    session: { ...one, wave, state: wave === 'done' ? 'ended' : 'active' },
    ...more,
  };
}

function asking(asks: QuestionData): Pick<BoardState, 'gate'> {
  return { gate: { id: `gate-${asks.gate}`, session, asked_at: minute(25), asks } };
}

const done = {
  status: 'done',
  verdict: 'pass',
  by: 'worker-1a2b3c4d',
  attempts: 1,
  cost_usd: 0.4,
  tokens: 90_000,
} as const;
const landed = { ...done, status: 'merged' } as const;
const claimed = { status: 'claimed', by: 'worker-1a2b3c4d', attempts: 1 } as const;

const check = {
  ...{ id: 'c1', command: 'npm test', about: 'task-001', started_at: minute(26), output: 'ok 1\nok 2\nnot ok 3\n' },
  before: [{ command: 'npm run lint', result: 'exit 0', is_good: true, took_ms: 900 }],
};
const endedCheck = {
  ...{ id: 'command-0', command: 'npm test', about: 'task-003', ended_at: minute(20), result: 'exit 0' },
  ...{ is_good: true, took_ms: 12_300 },
};

const working: BoardState = {
  ...base,
  tasks: tasksAs({
    'task-001': landed,
    'task-003': { ...done, verdict: null },
    'task-002': claimed,
    'task-006': { ...claimed, by: 'worker-2a2b3c4d', attempts: 2 },
    'task-007': { ...claimed, by: 'worker-3a2b3c4d' },
    'task-008': { ...claimed, by: 'worker-4a2b3c4d' },
    'task-009': { ...claimed, by: 'worker-5a2b3c4d' },
    'task-010': { because: ['task-009 has to be done first'] },
  }),
  agents: [
    agent(1, 'task-002'),
    agent(2, 'task-006', { activity: 'Edit client/src/retry.js', blocked: 2 }),
    agent(3, 'task-007', { activity: '', adapter: 'exec', recent: [] }),
    agent(4, 'task-008', { activity: 'Read bench/run.js' }),
    agent(5, 'task-009', { activity: 'I look at how settings are stored.' }),
    agent(6, 'task-003', { id: 'validator-6a2b3c4d', role: 'validator', activity: 'Read src/settings/read.js' }),
    agent(7, 'task-005', { activity: 'Bash rg -n "429" docs' }),
    agent(8, 'task-004', { activity: 'Write src/limits/headers.js' }),
  ],
  checks: [check],
  ended_checks: [endedCheck],
  notices: ['task-002 and task-006 change the same lines of client/src/retry.js'],
};

const failing: BoardState = {
  ...base,
  tasks: tasksAs({
    'task-001': landed,
    'task-003': done,
    'task-002': {
      ...done,
      status: 'failed',
      verdict: null,
      attempts: 3,
      because: ['npm test ended with 1 three times'],
    },
    'task-004': { status: 'blocked', because: ['task-002 failed'] },
    'task-006': { status: 'blocked', because: ['task-002 failed'] },
    'task-005': { status: 'blocked', because: ['task-004 is blocked'] },
    'task-007': { ...done, verdict: 'fail', because: [] },
    'task-008': { status: 'requeued', attempts: 1, because: ['Measure at 100,000 keys too.'] },
    'task-009': claimed,
  }),
  agents: [agent(1, 'task-009')],
};

const changeset: BoardChangeset = {
  ...{ id: '1-limits', group: 'limits', tasks: ['task-001', 'task-002'] as never, state: 'waiting', commit: commitA },
  ...{ diffstat: { files: 6, insertions: 312, deletions: 41 }, reason: null, red: false, by: null, try_command: null },
};

const joined = '👩‍👩‍👧‍👦';
const chinese = `${'为公共接口的每个密钥计算一分钟滑动窗口内的请求数并在超过限制时给出明确的答复'.repeat(5)}${joined}`;
const arabic = `${'حدود الطلبات للواجهة العامة مع رسائل واضحة '.repeat(4)}${joined} (v2) [x]`;

/** As long as a title may be, without the half of a character. */
function cut(title: string): string {
  return [...title].slice(-190).join('');
}

/** What is asked while agents work, and what no other state asks. */
const otherQuestions: readonly QuestionData[] = [
  { gate: 'budget', spent: 12, limit: 12, unit: 'usd' },
  {
    gate: 'base',
    failing: ['npm test ends with 1', `npm run check:${'types-of-all-packages-'.repeat(6)} ends with 2`],
  },
  {
    ...{ gate: 'validator_failed', task: 'task-003', title: names[2]?.[1] ?? '', reason: 'It ended early.', red: true },
    checks: [{ command: 'npm test', result: 'exit 1', is_good: false, output: 'not ok 2\n' }],
  },
  {
    ...{ gate: 'question', agent: 'worker-1a2b3c4d', task: 'task-002', title: names[1]?.[1] ?? '' },
    ...{ until: minute(60) },
    questions: [
      {
        question: 'Which clock should the window use?\nThe two differ after a restart, and clients see the difference.',
        options: [
          { label: 'The clock of the machine', description: 'simple, and it jumps when somebody sets it' },
          { label: 'A clock that only grows', description: 'windows start anew after each restart of the server' },
          { label: 'Ask the database', description: 'one more request for each call, about 2 ms' },
        ],
        isSeveral: false,
      },
    ],
  },
];

/** Boards in the states that a person meets, by name. */
export const boardStates: Readonly<Record<string, BoardState>> = {
  'no-session': emptyBoardState,
  'plan-waits': inWave('plan', {
    tasks: tasksAs({}, { status: 'proposed' }),
    ...asking({
      ...{ gate: 'plan', objective: 'Rate limits for the public API', tasks: 10, problems: [] },
      ...{ notes: ['About 6 USD, at worst 14.'], replans_left: 2, quit_means: 'the session ends without this plan' },
    }),
  }),
  working,
  failed: failing,
  validation: inWave('validate', {
    tasks: tasksAs({ 'task-003': { ...done, verdict: null }, 'task-007': { ...done, verdict: 'fail' } }, done),
    agents: [agent(6, 'task-003', { id: 'validator-6a2b3c4d', role: 'validator' })],
    checks: [check],
    ended_checks: [endedCheck, { ...endedCheck, id: 'command-1', about: 'task-007', result: 'exit 1', is_good: false }],
    ...asking({
      ...{ gate: 'validation', task: 'task-007', title: names[6]?.[1] ?? '', by: 'validator-1a2b3c4d' },
      ...{ notes: 'It logs once a minute, not once an hour.', issues: ['src/logging/refused.js: no test'] },
      ...{ checks: [{ command: 'npm test', result: 'exit 1', is_good: false, output: 'not ok 2\n' }] },
      ...{ description: 'Do it.', file_locks: ['src/'], others: [] },
    }),
  }),
  review: inWave('review', {
    tasks: tasksAs({ 'task-003': landed }, done),
    changesets: [changeset, { ...changeset, id: '1-settings', group: 'settings', state: 'landed', by: 'Lea' }],
    ...asking({
      ...{ gate: 'changesets', id: '1-limits', group: 'limits', commit: commitA, depends_on: [], missing: [] },
      ...{
        diffstat: changeset.diffstat,
        position: 1,
        total: 2,
        red: false,
        checks: [endedCheck].map((one) => ({ ...one, output: '' })),
      },
      tasks: names
        .slice(0, 2)
        .map(([id, title]) => ({ id, title, verdict: 'pass' as const, notes: 'It does what was asked.' })),
      ...{ warnings: [], on_top: [], others: [], has_message: true, undoable: [] },
    }),
  }),
  'cycle-over': inWave('review', {
    tasks: failing.tasks,
    changesets: [{ ...changeset, state: 'landed', by: 'Lea' }],
    ...asking({
      ...{ gate: 'session', answers: ['continue', 'retry', 'replan', 'stop'], cycle: 1, cycles_left: 2, undoable: [] },
      results: [
        ...([
          ['approved', '1 changeset'],
          ['sent back', '1 task'],
          ['blocked', '3 tasks'],
          ['failed', '1 task'],
        ] as const),
        ['cost', '$4.18 of $12.00'],
      ],
      troubled: Object.entries(failing.tasks).flatMap(
        ([
          id,
          {
            title,
            status,
            because: [why = ''],
          },
        ]) =>
          status === 'failed' || status === 'blocked' || status === 'requeued' ? [{ id, title, status, why }] : [],
      ),
      lines: ['2 cycles left.', 'continue: 2 tasks to continue with in the next cycle'],
    }),
  }),
  ...Object.fromEntries(otherQuestions.map((asks) => [`asks-${asks.gate}`, { ...working, ...asking(asks) }])),
  ended: inWave('done', {
    tasks: tasksAs({ 'task-008': { status: 'dropped', because: ['Not needed.'] } }, landed),
    is_running: false,
    changesets: [{ ...changeset, state: 'landed', by: 'Lea' }],
  }),
  many: {
    ...working,
    tasks: Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [
        `task-${`${at + 1}`.padStart(3, '0')}`,
        fakeTask({
          title: `${names[at % 10]?.[1]} (${at + 1})`,
          group: `group-${Math.floor(at / 12)}`,
          needs: at % 12 === 0 ? [] : [`task-${`${at}`.padStart(3, '0')}`],
          ...(at < 60 ? landed : at < 90 ? done : at < 98 ? claimed : at % 17 === 0 ? { status: 'failed' } : {}),
        }),
      ]),
    ),
  },
  titles: {
    ...working,
    tasks: {
      ...working.tasks,
      'task-002': fakeTask({ ...claimed, title: cut(chinese) }),
      'task-006': fakeTask({ ...claimed, title: cut(arabic) }),
    },
  },
};
