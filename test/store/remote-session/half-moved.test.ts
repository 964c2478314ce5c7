import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { type ObjectId, parseRefName } from '../../../lib/domain/ids.ts';
import { makeTempDir, type TestRepo } from '../../support/repo.ts';
import { alterTask } from '../../support/tasks.ts';
import { until } from '../../support/until.ts';
import { sampleSession } from '../sample.ts';
import { makeClones, stateOf, taskIn, taskOf } from '../sync-clones.ts';
import { type Machine, openMachine } from './machine.ts';

// git moves the refs of an atomic push one after the other once all are locked, and writes the reflog of each before it.
// A pipe in the place of a reflog holds it there, with the refs before that one moved and the others not.

const main = parseRefName('refs/heads/main');
const order = ['refs/blueflame/sessions', 'refs/blueflame/tasks', main];

interface Held {
  /** The server, between two refs. */
  readonly pid: number;
  /** Its reflogs are files again. */
  free(): void;
}

/** Holds the next push of a clone before a ref moves; resolves once it is held. */
function holdBefore(remote: TestRepo, repo: TestRepo, ref: string): Promise<Held> {
  const [log, folder] = [join(remote.path, 'logs', ref), makeTempDir('flame-held')];
  const [pid, program] = [join(folder, 'pid'), join(folder, 'receive-pack')];
  remote.git('config', 'core.logAllRefUpdates', 'always');
  mkdirSync(dirname(log), { recursive: true });
  rmSync(log, { force: true });
  execFileSync('mkfifo', [log]);
  writeFileSync(program, `#!/bin/sh\necho $$ >'${pid}'\nexec git-receive-pack "$@"\n`, { mode: 0o755 });
  repo.git('config', 'remote.origin.receivepack', program);
  const before = new Map(order.map((one) => [one, remote.git('rev-parse', one)]));
  const [previous = ''] = order.slice(0, order.indexOf(ref)).slice(-1);
  const isHeld = (): boolean => remote.git('rev-parse', previous) !== before.get(previous);
  return until(`it is held before ${ref}`, isHeld).then(() => {
    assert.is(remote.git('rev-parse', ref), before.get(ref), `${ref} did not move`);
    const free = (): void => {
      rmSync(log, { force: true });
      repo.git('config', '--unset', 'remote.origin.receivepack');
    };
    return { pid: Number(readFileSync(pid, 'utf8')), free };
  });
}

/** One step that rests on session, task and branch together, as a landing does; how often it was decided. */
function land({ store }: Machine, to: ObjectId, from: ObjectId): { done: Promise<string>; count: () => number } {
  let decided = 0;
  const done = store
    .transact((snapshot) => {
      decided += 1;
      const task = taskOf(snapshot, 'task-001');
      if (task.title === 'landed') return null;
      return {
        actor: 'a',
        changes: [
          {
            subject: 'session: lands',
            session: { ...sampleSession(), ...snapshot.sessions[0], objective: 'Landed' },
          },
          { subject: 'task-001: lands', tasks: [alterTask(task, { title: 'landed' })] },
        ],
        refs: [{ ref: main, old: from, new: to }],
      };
    })
    .then(({ kind }) => kind);
  return { done, count: () => decided };
}

function commitOn(repo: TestRepo): { readonly from: ObjectId; readonly to: ObjectId } {
  const from = repo.git('rev-parse', 'main') as ObjectId;
  return { from, to: repo.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'landed') as ObjectId };
}

for (const ref of order.slice(1))
  test(`DST-1 a server that ends before it moved ${ref}, and after others: the push counts once the rest of it is there too`, async () => {
    const { remote, clones } = await makeClones(['task-001']);
    const machine = await openMachine(clones[0], 'host/a');
    await machine.remoteSession.exchangeNow();
    const { from, to } = commitOn(clones[0]);
    const holding = holdBefore(remote, clones[0], ref);
    const landing = land(machine, to, from);
    const held = await holding;
    const decided = landing.count();
    assert.is(clones[0].git('rev-parse', 'main'), from, 'nothing counts here yet');
    held.free();
    // It gives its locks back.
    process.kill(held.pid, 'SIGTERM');
    assert.is(await landing.done, 'done');
    assert.is(landing.count(), decided, 'what was decided was completed');
    await machine.remoteSession.exchangeNow();
    await machine.close();
    assert.equal([remote.git('rev-parse', 'main'), clones[0].git('rev-parse', 'main')], [to, to]);
    assert.is((await taskIn(clones[0], 'task-001')).title, 'landed');
    assert.is(stateOf(clones[0]), stateOf(remote));
  });

test('DST-1 where another machine moved on what such a server left behind, it is decided again on that', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const [a, b] = await Promise.all(clones.slice(0, 2).map((repo, at) => openMachine(repo, `host/${at}`)));
  if (a === undefined || b === undefined) throw new Error('two clones');
  await Promise.all([a.remoteSession.exchangeNow(), b.remoteSession.exchangeNow()]);
  const { from, to } = commitOn(clones[0]);
  const holding = holdBefore(remote, clones[0], 'refs/blueflame/tasks');
  const landing = land(a, to, from);
  const held = await holding;
  const decided = landing.count();
  held.free();
  // The one that is first to come back finds its lock gone, and is quicker.
  clones[0].git('remote', 'set-url', 'origin', '/nonexistent/remote.git');
  process.kill(held.pid, 'SIGTERM');
  await until('the lock is gone', () => !existsSync(join(remote.path, 'refs/blueflame/tasks.lock')));
  const moved = await b.store.transact((snapshot) => ({
    actor: 'b',
    changes: [{ subject: 'b', tasks: [alterTask(taskOf(snapshot, 'task-001'), { reason: 'by b' })] }],
  }));
  assert.is(moved.kind, 'done');
  clones[0].git('remote', 'set-url', 'origin', remote.path);
  assert.is(await landing.done, 'done');
  assert.ok(landing.count() > decided, 'it was decided again');
  await a.remoteSession.exchangeNow();
  await Promise.all([a.close(), b.close()]);
  const { title, reason } = await taskIn(clones[0], 'task-001');
  assert.equal([title, reason], ['landed', 'by b']);
  assert.is(remote.git('rev-parse', 'main'), to);
  assert.is(stateOf(clones[0]), stateOf(remote));
});

test('DST-1 a server that is killed there leaves its locks: they are named, nothing counts, and it is completed once they are gone', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  const { from, to } = commitOn(clones[0]);
  const holding = holdBefore(remote, clones[0], 'refs/blueflame/tasks');
  const landing = land(machine, to, from);
  const held = await holding;
  held.free();
  process.kill(held.pid, 'SIGKILL');
  const error = await landing.done.catch((caught: unknown) => caught);
  assert.instance(error, FlameError);
  assert.match(String((error as FlameError).hints[0]), /remove the lock there: .*\.lock$/);
  assert.is(clones[0].git('rev-parse', 'main'), from);
  assert.is((await taskIn(clones[0], 'task-001')).title === 'landed', false);
  for (const ref of [...order, 'HEAD']) rmSync(join(remote.path, `${ref}.lock`), { force: true });
  const again = land(machine, to, from);
  assert.is(await again.done, 'done');
  await machine.remoteSession.exchangeNow();
  await machine.close();
  assert.equal([remote.git('rev-parse', 'main'), clones[0].git('rev-parse', 'main')], [to, to]);
  assert.is(stateOf(clones[0]), stateOf(remote));
});

test.run();
