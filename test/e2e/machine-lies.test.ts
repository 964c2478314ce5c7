import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Breach } from '../../lib/domain/state/breach.ts';
import type { Task } from '../../lib/domain/state/task.ts';
import { flame, flameJson } from '../support/flame.ts';
import {
  beginLed,
  endOpened,
  letGo,
  machineEnd,
  makeMachines,
  type RigMachine,
  startMachine,
  untilLetGo,
} from '../support/machine-rig.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { forge, type State } from '../support/shared-project.ts';
import { until } from '../support/until.ts';

test.after(endOpened);

const tasks = ['task-001', 'task-002', 'task-003', 'task-004'].map((id) => ({
  id,
  script: `${untilLetGo}; mkdir -p src; echo ${id} > src/${id}.txt`,
  locks: [`src/${id}.txt`],
}));

const isAtWork = ({ repo }: RigMachine): boolean => repo.git('worktree', 'list').split('\n').length > 2;

/** Writes to the remote what anybody with push rights can, until nobody else was quicker. */
async function lie({ repo }: RigMachine, change: (task: Task) => Task | null): Promise<string> {
  for (;;) {
    repo.git('fetch', '-q', 'origin', '+refs/blueflame/*:refs/blueflame/*');
    let name = '';
    await forge(repo, (state: State) => {
      const [session] = state.sessions;
      const all = session === undefined ? [] : state.tasksOf(session.id);
      const [lied] = all.flatMap((task) => change(task) ?? []);
      name = lied?.id ?? '';
      return lied === undefined ? [] : [{ subject: `${lied.id}: lied`, tasks: [lied] }];
    });
    try {
      repo.git('push', '-q', 'origin', 'refs/blueflame/tasks');
      return name;
    } catch {
      // Somebody was first.
    }
  }
}

test('DST-1 TRU-2 what a machine with push rights writes in the place of others is named by all, followed by none, and the session ends as without', async () => {
  const rig = makeMachines(3, tasks, { lease: '60s', renew: '4s' });
  const { lead, other, third: eve } = rig;
  const { digest, session } = await beginLed(rig);
  startMachine(other, digest);
  await until('both work', async () => isAtWork(lead) && isAtWork(other));
  const [leader] = (await flameJson(lead.repo, ['machines'])).lines;
  const names = (leader?.machines ?? []) as readonly { readonly machine: string; readonly role: string }[];
  const worker = names.find(({ role }) => role === 'worker')?.machine;
  const commit = rig.remote.git('rev-parse', 'main');
  const asDone = await lie(eve, (task) =>
    task.status === 'claimed' && task.claimed_host === worker
      ? ({ ...task, status: 'done', branch: 'b', commit, start_commit: commit } as never)
      : null,
  );
  await until('it is seen', async () =>
    [lead, other].every(({ said }) => said.includes(`${asDone}: claimed -> done under`)),
  );
  const taken = await lie(eve, (task) =>
    task.status === 'claimed' && task.claimed_host !== worker
      ? ({ ...task, claim: 40, agent_id: 'worker-00000eee', claimed_host: 'eve/12345678' } as never)
      : null,
  );
  await until('it is seen', async () =>
    [lead, other].every(({ said }) => said.includes(`${taken}: worker-00000eee`)),
  );
  letGo(rig);
  for (const machine of [lead, other]) await machineEnd(machine);
  assert.equal([lead.ends, other.ends], [[0], [0]], `${lead.said}\n----\n${other.said}`);
  const history = checkSharedHistory(rig.remote, session);
  assert.is(history.merged, 4, lead.said);
  for (const { id } of tasks) assert.is(rig.remote.git('show', `main:src/${id}.txt`), id);
  // Of the history nothing else is broken than what was lied.
  const lied = new RegExp(`^(?:${asDone}|${taken}) at `);
  assert.equal(
    history.problems.filter((problem) => !lied.test(problem)),
    [],
  );
  for (const { repo } of [lead, other]) {
    const [shown] = (await flameJson(repo, ['machines', '--session', session])).lines;
    const found = (shown?.breaches ?? []) as readonly Breach[];
    assert.equal(
      found.map(({ kind, task, machine, by, key }) => [kind, task, machine, by, key]),
      [
        ['result', asDone, worker, null, null],
        ['claim', taken, names.find(({ role }) => role === 'lead')?.machine, null, null],
      ],
    );
  }
  const text = (await flame(lead.repo, ['machines', '--session', session])).stdout;
  assert.match(
    text,
    /Against the rules.*\n.*claimed -> done under the claim of .*\(unsigned\)\n\s+git show [0-9a-f]{7}/,
  );
});

test.run();
