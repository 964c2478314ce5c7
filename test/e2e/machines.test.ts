import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame, flameJson } from '../support/flame.ts';
import { sufferUntilDone } from '../support/machine-chaos.ts';
import {
  beginLed,
  endOpened,
  letGo,
  machineEnd,
  makeMachines,
  startMachine,
  untilLetGo,
} from '../support/machine-rig.ts';
import { makeRandom } from '../support/random.ts';
import { checkSharedHistory } from '../support/shared-history.ts';
import { until } from '../support/until.ts';
import { runWorkflow } from '../support/workflow-runner.ts';

test.after(endOpened);

const task = (at: number, script = 'sleep 1') => {
  const id = `task-${String(at + 1).padStart(3, '0')}`;
  return { id, script: `${script}; mkdir -p src; echo ${id} > src/${id}.txt`, locks: [`src/${id}.txt`] };
};
const tasksOf = (count: number, script?: string) => Array.from({ length: count }, (_, at) => task(at, script));

test('DST-1 a machine and a runner of the example workflow do one plan: each task once, landed in one push, nothing left behind', async () => {
  // The lead's first two wait until the runner did one.
  const tasks = Array.from({ length: 8 }, (_, at) => task(at, at < 2 ? untilLetGo : 'sleep 1'));
  const rig = makeMachines(2, tasks);
  const { remote, lead, other } = rig;
  const early = await flame(other.repo, ['work', '--join', 'origin']);
  assert.is(early.code, 2, early.stderr);
  assert.match(early.stderr, /No session is shared through origin/);
  const { digest, session } = await beginLed(rig);
  const unasked = await flame(other.repo, ['work', '--join', 'origin']);
  assert.is(unasked.code, 2);
  assert.match(unasked.stderr, /You have not agreed to the plan at origin, so nothing of it runs here/);
  const wrong = await flame(other.repo, ['work', '--join', 'origin', '--plan', 'f'.repeat(64)]);
  assert.is(wrong.code, 2);
  assert.match(wrong.stderr, new RegExp(`another digest than the one you named: ${digest}`));
  const runner = runWorkflow(remote, digest);
  await until('both are seen', async () => {
    const [seen] = (await flameJson(lead.repo, ['machines'])).lines;
    return ((seen?.machines ?? []) as readonly unknown[]).length === 2;
  });
  // That asks the remote; status shows what this clone saw there last, which its lead looks at a moment later.
  await until('status shows both', async () => {
    const [status] = (await flameJson(lead.repo, ['status'])).lines;
    return ((status?.machines ?? []) as readonly unknown[]).length === 2;
  });
  await until('the runner did one', async () => {
    const [status] = (await flameJson(lead.repo, ['status'])).lines;
    return ((status?.tasks ?? []) as readonly { readonly status: string }[]).some(({ status }) => status === 'done');
  });
  assert.match((await flame(lead.repo, ['status'])).stdout, /Machines of ses-.* at origin\n.*lead/);
  const alone = await flame(lead.repo, ['work']);
  assert.is(alone.code, 1);
  assert.match(alone.stderr, /shared with other machines/);
  letGo(rig);
  await machineEnd(lead);
  const joined = await runner;
  assert.equal([lead.ends, joined.code], [[0], 0], `${lead.said}\n${joined.said}`);
  const history = checkSharedHistory(remote, session);
  assert.equal(history.problems, []);
  assert.is(history.merged, 8);
  assert.is(history.doneBy.size, 2, 'both did some');
  assert.ok(existsSync(join(lead.repo.path, 'src/task-008.txt')), 'the checkout of the lead came along');
});

test('DST-1 DST-2 machines that are killed, stopped and cut off: every task is done and landed once', async () => {
  const count = Number(process.env.FLAME_MACHINES ?? 3);
  const total = Number(process.env.FLAME_MACHINE_TASKS ?? 6);
  const random = makeRandom(Number(process.env.FLAME_SEED ?? 1));
  const rig = makeMachines(count, tasksOf(total, 'sleep 2'), { lease: '9s', renew: '2s' });
  const { remote, machines } = rig;
  const { digest, session } = await beginLed(rig);
  for (const machine of machines.slice(1)) startMachine(machine, digest);
  await sufferUntilDone({ machines }, { digest, random, longestMs: 480_000, leaseMs: 9_000 });
  // One that was killed or cut off as it left could not take its sign away; the next sync does.
  for (const { repo } of machines) await flame(repo, ['sync', 'origin']);
  const history = checkSharedHistory(remote, session);
  assert.equal(history.problems, [], machines.map(({ said }) => said).join('\n----\n'));
  assert.is(history.merged, total);
  const states = machines.map(({ repo }) => repo.git('for-each-ref', '--format=%(objectname)', 'refs/blueflame/tasks'));
  assert.is(new Set(states).size, 1, 'clones are equal in the end');
});

test.run();
