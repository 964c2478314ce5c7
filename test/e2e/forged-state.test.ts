import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAgentId } from '../../lib/domain/ids.ts';
import type { Session } from '../../lib/domain/session.ts';
import type { Change } from '../../lib/domain/store-port.ts';
import type { Task } from '../../lib/domain/task.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { assertRefused } from '../support/refusal.ts';
import type { TestRepo } from '../support/repo.ts';
import { makeForgery, type State } from '../support/shared-project.ts';

// TRU-2: what somebody with push rights to the remote writes into a session of this clone.

type Fields = Readonly<Record<string, unknown>>;

const changeTask =
  (patch: Partial<Task>) =>
  (state: State): readonly Change[] =>
    state.current === null
      ? []
      : [
          {
            subject: 'forged',
            tasks: state
              .tasksOf(state.current.id)
              .slice(0, 1)
              .map((task) => ({ ...task, ...patch })),
          },
        ];

const changeSession =
  (patch: Partial<Session>) =>
  ({ current }: State): readonly Change[] =>
    current === null ? [] : [{ subject: 'forged', session: { ...current, ...patch } }];

async function statusOf(repo: TestRepo): Promise<Fields> {
  return (await flameJson(repo, ['status'])).lines[0] ?? {};
}

/** A session in which one task has failed here, while a person works on the other. */
async function makeFailed(): ReturnType<typeof makeForgery> {
  const tasks = [
    { id: 'task-001', script: 'exit 1', locks: ['src/one.txt'] },
    { id: 'task-002', script: 'true', locks: ['src/two.txt'] },
  ];
  const config = { limits: { max_retries: 0 } };
  const made = await makeForgery({ tasks, config, upTo: 'plan' });
  assert.is((await flame(made.victim, ['task', 'claim', 'task-002'])).code, 0);
  return made;
}
const unclaimed = {
  status: 'pending',
  agent_id: null,
  worktree: null,
  commit: null,
  start_commit: null,
  claimed_by: null,
  claimed_host: null,
  claimed_at: null,
  result: { status: null, notes: '', issues: [] },
} satisfies Partial<Task>;

test('TRU-2 a task that failed here and is set to pending elsewhere is asked about before an agent starts', async () => {
  const { victim, send } = await makeFailed();
  assert.is((await flame(victim, ['work'])).code, 1);
  const runs = (): string => victim.git('log', '--format=%s', '--grep=claimed by', 'refs/blueflame/tasks');
  const before = runs();
  await send(changeTask({ ...unclaimed, retry_count: 0, reason: null, history: [] }));
  assert.match((await flame(victim, ['sync'])).stdout, /before you say so: 1 task to run/);
  for (const argv of [['work'], ['run'], ['resume']])
    assertRefused(await flame(victim, argv), { code: 2, says: 'brought to this by another clone' });
  assert.is(runs(), before);
  const decisions = writeDecisions(victim, { plan: ['approve'] });
  await flame(victim, ['work', '--decisions-file', decisions]);
  assert.is.not(runs(), before);
});

test('TRU-2 what stood before is not taken for new when somebody puts it back', async () => {
  const { victim, send } = await makeFailed();
  let former: readonly Task[] = [];
  await send((state) => {
    former = state.current === null ? [] : state.tasksOf(state.current.id);
    return [];
  });
  assert.is((await flame(victim, ['work'])).code, 1);
  await send(({ current, tasksOf }) => {
    assert.ok(current !== null && tasksOf !== undefined);
    return [{ subject: 'forged', tasks: former }];
  });
  assert.is((await flame(victim, ['sync'])).code, 0);
  assertRefused(await flame(victim, ['work']), { code: 2, says: 'brought to this by another clone' });
});

test('TRU-2 work that another clone names for a task of this one is neither judged nor merged unasked', async () => {
  const { victim, send } = await makeForgery({ upTo: 'plan' });
  const start = victim.git('rev-parse', 'main') as never;
  const commit = victim.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'foreign') as never;
  await send(changeTask({ status: 'done', commit, start_commit: start, branch: null }));
  assert.is((await flame(victim, ['sync'])).code, 0);
  assertRefused(await flame(victim, ['run']), { code: 2, says: 'done at' });
  assert.equal((await statusOf(victim)).changesets, []);
});

test('TRU-2 a session that is set back to planning elsewhere starts no planner, and goes on here', async () => {
  const { victim, send } = await makeForgery();
  await send(changeSession({ wave: 'plan', replan_notes: 'do otherwise' }));
  assert.is((await flame(victim, ['sync'])).code, 0);
  assertRefused(await flame(victim, ['run']), { code: 2, says: 'Changeset main waits' });
  const landed = await flame(victim, ['review', '--approve']);
  assert.is(landed.code, 0, landed.stderr);
});

test('TRU-2 a session that ended here and is open again elsewhere is asked about', async () => {
  const { victim, send } = await makeForgery();
  assert.is((await flame(victim, ['review', '--approve'])).code, 0);
  await send(changeSession({ state: 'active', wave: 'work' }));
  assert.match((await flame(victim, ['sync'])).stdout, /before you say so: 1 session/);
  assertRefused(await flame(victim, ['run']), { code: 2, says: 'brought to this by another clone' });
});

test('TRU-2 a plan that waits here and is swapped elsewhere is shown as received', async () => {
  const { victim, send } = await makeForgery({ upTo: 'plan' });
  victim.write('.git/other.yml', 'tasks: []\n');
  const plan = writePlan(victim, [{ id: 'task-009', script: 'true', locks: ['src/nine.txt'] }], 'next.yml');
  assertRefused(await flame(victim, ['plan', 'More', '--new', '--from', plan]), { code: 2, says: 'plan' });
  await send(({ current }) =>
    current?.proposal == null
      ? []
      : [
          {
            subject: 'forged',
            session: {
              ...current,
              proposal: current.proposal.map((task) => ({ ...task, description: 'touch /tmp/owned' })),
            },
          },
        ],
  );
  assert.match((await flame(victim, ['sync'])).stdout, /before you say so: 1 session/);
  assertRefused(await flame(victim, ['run']), { code: 2, says: 'brought to this by another clone' });
});

test('TRU-2 an agent named in a claim by hand frees nothing, and the change is told', async () => {
  const { victim, send } = await makeForgery({ upTo: 'plan' });
  assert.is((await flame(victim, ['task', 'claim', 'task-001'])).code, 0);
  const [claimed] = (await statusOf(victim)).tasks as Fields[];
  await send(changeTask({ agent_id: parseAgentId('worker-0badf00d') }));
  const synced = await flame(victim, ['sync']);
  assert.match(synced.stderr, /task-001 is no longer yours: worker-0badf00d/);
  const run = await flame(victim, ['run']);
  assertRefused(run, { code: 2, says: 'task-001 by worker-0badf00d' });
  assert.match(run.stderr, /git flame task release task-001/);
  const [after] = (await statusOf(victim)).tasks as Fields[];
  assert.equal([after?.status, after?.worktree], ['claimed', claimed?.worktree]);
});

test.run();
