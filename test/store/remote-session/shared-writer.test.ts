import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeBlackboardPage } from '../../../lib/core/blackboard/change-blackboard-page.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { makeBlackboardNote } from '../../../lib/domain/state/blackboard.ts';
import { openStore } from '../../../lib/store/open-store.ts';
import { alterTask } from '../../support/tasks.ts';
import { until } from '../../support/until.ts';
import { sampleSessionId } from '../sample.ts';
import { commonDirOf, inStore, makeClones, stateOf, sync, taskIn, taskOf } from '../sync-clones.ts';
import { claim, type Machine, openMachine } from './machine.ts';

test('DST-1 UNI-6 machines race for every task: the remote gives each to one, and all clones are equal in the end', async () => {
  const ids = Array.from({ length: 8 }, (_, at) => `task-${String(at + 1).padStart(3, '0')}`);
  const { remote, clones } = await makeClones(ids);
  const machines = await Promise.all(clones.map((repo, at) => openMachine(repo, `host/${at}`)));
  const won = await Promise.all(
    machines.map(async (machine, at) => {
      const answers = await Promise.all(ids.map((id) => claim(machine, id, `worker-0000000${at}`)));
      return ids.filter((_, index) => answers[index] === true).map((id) => `${id} worker-0000000${at}`);
    }),
  );
  await Promise.all(machines.map(({ remoteSession }) => remoteSession.exchangeNow()));
  await Promise.all(machines.map(({ close }) => close()));
  assert.is(won.flat().length, ids.length, 'each was told to one');
  const stored = await Promise.all(ids.map(async (id) => `${id} ${(await taskIn(clones[0], id)).agent_id}`));
  assert.equal(won.flat().sort(), stored);
  for (const repo of clones) assert.is(stateOf(repo), stateOf(remote));
  const log = remote.git('log', '--format=%s', '--grep=-> claimed by', 'refs/blueflame/tasks').split('\n');
  assert.is(log.length, ids.length);
});

test('DST-1 all that waits on a machine goes in one push', async () => {
  const ids = Array.from({ length: 8 }, (_, at) => `task-00${at + 1}`);
  const { remote, clones } = await makeClones(ids);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  const file = join(remote.path, 'hooks/pre-receive');
  writeFileSync(file, '#!/bin/sh\necho push >>"$GIT_DIR/pushes"\n', { mode: 0o755 });
  const answers = await Promise.all(ids.map((id, at) => claim(machine, id, `worker-0000000${at}`)));
  await machine.close();
  assert.ok(answers.every(Boolean));
  assert.is(readFileSync(join(remote.path, 'pushes'), 'utf8'), 'push\n');
});

test('QUE-3 DST-1 notes that machines leave at once are all there for each, also what another command left beside', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = clones;
  const machines = await Promise.all([a, b].map((repo, at) => openMachine(repo, `host/${at}`)));
  const leave = ({ store }: Pick<Machine, 'store'>, text: string) =>
    store.transact((snapshot) => {
      const at = '2026-03-01T08:00:00.000Z';
      const note = makeBlackboardNote({ ...{ text, at, by: 'Lea', place: 'here' }, tasks: [], paths: [] });
      const pages = snapshot.blackboardOf(sampleSessionId);
      const page = changeBlackboardPage({ id: sampleSessionId }, pages, {
        task: null,
        add: [note],
        drop: [],
      });
      return { actor: 'Lea', changes: [{ subject: 'note: left by Lea', page }] };
    });
  await inStore(a, (store) => leave({ store }, 'beside'));
  await Promise.all(machines.flatMap((machine, at) => [leave(machine, `x${at}`), leave(machine, `y${at}`)]));
  for (const { remoteSession } of machines) await remoteSession.exchangeNow();
  for (const { store } of machines) {
    const [page] = (await store.snapshot()).blackboardOf(sampleSessionId);
    assert.equal(page?.notes.map(({ text }) => text).sort(), ['beside', 'x0', 'x1', 'y0', 'y1']);
  }
  await Promise.all(machines.map(({ close }) => close()));
  for (const repo of [a, b]) assert.is(stateOf(repo), stateOf(remote));
});

test('DST-1 a push whose answer was lost is known to have been taken: it is made once, and told so', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  // The server dies once the refs have moved, before it says so.
  const hook = join(remote.path, 'hooks/post-receive');
  writeFileSync(hook, `#!/bin/sh\nrm -f "$0"\nkill -9 $PPID\n`, { mode: 0o755 });
  assert.is(await claim(machine, 'task-001', 'worker-0000000a'), true);
  await machine.close();
  assert.not(existsSync(hook), 'the answer was lost');
  assert.is(stateOf(clones[0]), stateOf(remote));
  assert.is(remote.git('log', '--format=%s', '--grep=-> claimed', 'refs/blueflame/tasks').split('\n').length, 1);
});

test('DST-2 what is decided while the remote is away waits, and is made once it is back', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  clones[0].git('remote', 'set-url', 'origin', '/nonexistent/remote.git');
  const claimed = claim(machine, 'task-001', 'worker-0000000a');
  await until('the remote is missed', () => machine.lines.includes(false));
  assert.is((await taskIn(clones[0], 'task-001')).status, 'pending', 'nothing counts before the remote took it');
  clones[0].git('remote', 'set-url', 'origin', remote.path);
  assert.is(await claimed, true);
  await machine.close();
  assert.equal(machine.lines, [false, true]);
  assert.is(stateOf(clones[0]), stateOf(remote));
});

test('a remote that takes no state is named to who asked, and nothing counts here', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  remote.git('config', 'receive.hideRefs', 'refs/blueflame');
  const error = await claim(machine, 'task-001', 'worker-0000000a').catch((caught: unknown) => caught);
  await machine.close();
  assert.ok(error instanceof FlameError);
  assert.is(error.code, 'remote-refuses-state');
  assert.is((await taskIn(clones[0], 'task-001')).status, 'pending');
});

test('a remote without atomic pushes is named: no step is made there in part', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  remote.git('config', 'receive.advertiseAtomic', 'false');
  const before = stateOf(remote);
  const machine = await openMachine(clones[0], 'host/a');
  const error = await claim(machine, 'task-001', 'worker-0000000a').catch((caught: unknown) => caught);
  await machine.close();
  assert.ok(error instanceof FlameError);
  assert.is(error.code, 'remote-not-atomic');
  assert.is(stateOf(remote), before);
});

test('a remote that was never reached is told at once', async () => {
  const { clones } = await makeClones(['task-001']);
  clones[0].git('remote', 'set-url', 'origin', '/nonexistent/remote.git');
  const machine = await openMachine(clones[0], 'host/a');
  const error = await machine.remoteSession.exchangeNow().catch((caught: unknown) => caught);
  await machine.close();
  assert.ok(error instanceof FlameError);
  assert.is(error.code, 'remote-unreachable');
});

test('DST-1 a machine that gives no sign of life for its lease is gone, one that does is not; who leaves takes its sign along', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b, c] = await Promise.all(clones.map((repo, at) => openMachine(repo, `host/${'abc'[at]}`)));
  if (a === undefined || b === undefined || c === undefined) throw new Error('three clones');
  const lease = { leaseMs: 4_000, renewMs: 500 };
  for (const { remoteSession } of [a, b, c]) remoteSession.enter(sampleSessionId, lease);
  for (const { remoteSession } of [a, b, c]) await remoteSession.exchangeNow();
  await until('a sees both', () => a.remoteSession.machines().length === 2);
  // As if its process were gone: no word to anybody.
  await c.close();
  await until('c is gone', () => a.remoteSession.isGone('host/c'));
  assert.not(a.remoteSession.isGone('host/b'));
  assert.not(b.remoteSession.isGone('host/a'));
  await b.remoteSession.leave(false);
  await a.remoteSession.leave(true);
  await Promise.all([a.close(), b.close()]);
  assert.is(remote.git('for-each-ref', 'refs/blueflame/machines/'), '');
});

test('DST-1 a machine knows that it is cut off before the others give it up', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = await Promise.all(clones.slice(0, 2).map((repo, at) => openMachine(repo, `host/${at}`)));
  if (a === undefined || b === undefined) throw new Error('two clones');
  const lease = { leaseMs: 6_000, renewMs: 1_000 };
  for (const { remoteSession } of [a, b]) remoteSession.enter(sampleSessionId, lease);
  for (const { remoteSession } of [a, b]) await remoteSession.exchangeNow();
  await until('b sees a', () => b.remoteSession.machines().length === 1);
  assert.not(a.remoteSession.isCutOff());
  clones[0].git('remote', 'set-url', 'origin', '/nonexistent/remote.git');
  let wasGone = false;
  await until('a knows', () => {
    wasGone ||= b.remoteSession.isGone('host/0');
    return a.remoteSession.isCutOff();
  });
  assert.not(wasGone);
  await until('b gives it up', () => b.remoteSession.isGone('host/0'));
  clones[0].git('remote', 'set-url', 'origin', remote.path);
  await a.remoteSession.exchangeNow();
  await until('a is back', () => !a.remoteSession.isCutOff());
  await Promise.all([a.close(), b.close()]);
});

test('what another command of the clone changed meanwhile goes along', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  const beside = await openStore({
    context: { cwd: clones[0].path, env: clones[0].env },
    commonDir: commonDirOf(clones[0]),
    objectFormat: 'sha1',
  });
  await beside.transact((snapshot) => ({
    actor: 'a',
    changes: [{ subject: 'task-002 changed', tasks: [alterTask(taskOf(snapshot, 'task-002'), { title: 'new' })] }],
  }));
  await beside.close();
  assert.is(await claim(machine, 'task-001', 'worker-0000000a'), true);
  await machine.close();
  await sync(clones[1]);
  assert.is((await taskIn(clones[1], 'task-002')).title, 'new');
  assert.is((await taskIn(clones[1], 'task-001')).status, 'claimed');
  assert.is(stateOf(clones[0]), stateOf(remote));
  rmSync(remote.path, { recursive: true });
});

test.run();
