import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { type Fate, serveHttp } from '../../support/remote-lines.ts';
import { makeTempDir, type TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { change, makeClones, stateOf, sync, taskIn } from '../sync-clones.ts';
import { claim, openMachine } from './machine.ts';

const tasks = 'refs/blueflame/tasks';

function claimsOf(remote: TestRepo): readonly string[] {
  return remote.git('log', '--format=%s', '--grep=-> claimed by', tasks).split('\n').filter(Boolean);
}

function hook(remote: TestRepo, name: string, script: string): string {
  const file = join(remote.path, 'hooks', name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

/** What a look and a claim ask a server, in order; a line that loses none of it. */
const steps = ['a look begins', 'a look asks', 'a push begins', 'a push sends'];
const asks = [
  (address: string) => address.includes('service=git-upload-pack'),
  (address: string) => address.endsWith('/git-upload-pack'),
  (address: string) => address.includes('service=git-receive-pack'),
  (address: string) => address.endsWith('/git-receive-pack'),
];

for (const [at, step] of steps.entries())
  test(`DST-1 DST-2 a line that breaks, an answer that is lost, a server that dies where ${step}: claimed once, and known`, async () => {
    for (const fate of ['lost', 'unanswered', 'killed'] as const satisfies readonly Fate[]) {
      const { remote, clones } = await makeClones(['task-001', 'task-002']);
      let isArmed = false;
      const line = await serveHttp(remote.path, null, (address) => {
        if (!isArmed || asks[at]?.(address) !== true) return null;
        isArmed = false;
        return fate;
      });
      clones[0].git('remote', 'set-url', 'origin', line.url('127.0.0.1'));
      const machine = await openMachine(clones[0], 'host/a');
      const first = await claim(machine, 'task-001', 'worker-0000000a');
      isArmed = true;
      const second = await claim(machine, 'task-002', 'worker-0000000b');
      await machine.close();
      line.close();
      assert.equal([first, second], [true, true], fate);
      assert.not(isArmed, `${fate}: it was met`);
      assert.is(claimsOf(remote).length, 2, fate);
      assert.is(stateOf(clones[0]), stateOf(remote));
    }
  });

for (const [name, script] of [
  ['pre-receive', 'kill -9 $PPID'],
  ['update', 'kill -9 $PPID'],
  ['post-receive', 'kill -9 $PPID'],
  ['reference-transaction', '[ "$1" = committed ] && grep -q tasks && kill -9 $PPID; exit 0'],
] as const)
  test(`DST-1 a server killed in ${name}: claimed once, and known`, async () => {
    const { remote, clones } = await makeClones(['task-001']);
    const machine = await openMachine(clones[0], 'host/a');
    await machine.remoteSession.exchangeNow();
    const file = join(remote.path, 'hooks', name);
    hook(remote, name, `rm -f '${file}'\n${script}`);
    assert.is(await claim(machine, 'task-001', 'worker-0000000a'), true);
    assert.not(existsSync(file), 'it was killed');
    await machine.close();
    assert.is(claimsOf(remote).length, 1);
    assert.is(stateOf(clones[0]), stateOf(remote));
  });

test('DST-1 a server killed with its refs locked: the lock is named, nothing counts, and it goes on once that is gone', async () => {
  const { remote, clones } = await makeClones(['task-001']);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  const file = hook(
    remote,
    'reference-transaction',
    '[ "$1" = prepared ] && grep -q tasks && rm -f "$0" && kill -9 $PPID; exit 0',
  );
  const error = await claim(machine, 'task-001', 'worker-0000000a').catch((caught: unknown) => caught);
  assert.not(existsSync(file), 'it was killed');
  assert.instance(error, FlameError);
  const [hint = ''] = (error as FlameError).hints;
  const [, lock = ''] = hint.match(/remove the lock there: (.+\.lock)$/) ?? [];
  assert.is((await taskIn(clones[0], 'task-001')).status, 'pending');
  rmSync(join(remote.path, lock.slice(lock.indexOf('refs/'))));
  assert.is(await claim(machine, 'task-001', 'worker-0000000a'), true);
  await machine.close();
  assert.is(stateOf(clones[0]), stateOf(remote));
});

test('DST-1 a remote that is collected and packed while machines work has all they need', async () => {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b] = await Promise.all(clones.slice(0, 2).map((repo, at) => openMachine(repo, `host/${at}`)));
  if (a === undefined || b === undefined) throw new Error('two clones');
  const commit = clones[0].git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'work');
  const work = clones[0].git('rev-parse', commit);
  await change(clones[0], 'task-001', {
    status: 'done',
    commit: work as never,
    branch: 'blueflame/x',
    start_commit: work as never,
  });
  await sync(clones[0]);
  remote.git('gc', '-q', '--prune=now');
  // In the middle of a push too: what it brought is not reached by any ref yet.
  hook(remote, 'pre-receive', 'rm -f "$0"\nenv -i PATH="$PATH" git gc -q --prune=now');
  assert.is(await claim(b, 'task-002', 'worker-0000000b'), true);
  await a.remoteSession.exchangeNow();
  assert.is(await claim(a, 'task-002', 'worker-0000000a'), false);
  await Promise.all([a.close(), b.close()]);
  remote.git('cat-file', '-e', `${work}^{commit}`);
  for (const repo of clones.slice(0, 2)) assert.is(stateOf(repo), stateOf(remote));
});

test('UNI-6 DST-2 a remote that was reset is asked about: nothing is sent over it, until a sync puts back what is here', async () => {
  for (const reset of ['back', 'away']) {
    const { remote, clones } = await makeClones(['task-001', 'task-002']);
    const before = remote.git('rev-parse', tasks);
    const [a, b] = await Promise.all(clones.slice(0, 2).map((repo, at) => openMachine(repo, `host/${at}`)));
    if (a === undefined || b === undefined) throw new Error('two clones');
    assert.is(await claim(a, 'task-001', 'worker-0000000a'), true);
    if (reset === 'back') remote.git('update-ref', tasks, before);
    else remote.git('update-ref', '-d', tasks);
    const was = stateOf(remote);
    for (const machine of [a, a]) {
      const error = await claim(machine, 'task-002', 'worker-0000000a').catch((caught: unknown) => caught);
      assert.instance(error, FlameError);
      if (!(error instanceof FlameError)) return;
      assert.equal([error.code, error.kind], ['remote-went-back', 'waiting']);
      assert.match(error.hints[0] ?? '', /git flame sync origin$/);
      assert.is(stateOf(remote), was, 'nothing was sent');
    }
    await sync(clones[0]);
    assert.is(await claim(a, 'task-002', 'worker-0000000a'), true);
    assert.is(await claim(b, 'task-001', 'worker-0000000b'), false, 'the claim stands');
    await Promise.all([a.close(), b.close()]);
    assert.is(claimsOf(remote).length, 2);
  }
});

const canMount = spawnSync('unshare', ['-rm', 'true']).status === 0;
const mounted = testIf(test, canMount, 'nothing can be mounted in a namespace here');
const storage: readonly (readonly [string, (remote: TestRepo) => string, RegExp])[] = [
  [
    'read-only',
    ({ path }) => `mount --bind ${path} ${path} && mount -o remount,bind,ro ${path}`,
    /^origin can't store the state: unable to create temporary object directory/,
  ],
  [
    'full',
    ({ path }) => {
      const old = join(makeTempDir('flame-full'), 'objects');
      mkdirSync(old);
      const disk = `mount --bind ${path}/objects ${old} && mount -t tmpfs -o size=4k none ${path}/objects`;
      return `${disk} && export GIT_ALTERNATE_OBJECT_DIRECTORIES=${old}`;
    },
    /^origin can't store the state: unable to write .*No space left on device/,
  ],
];

for (const [name, mount, message] of storage)
  mounted(
    `DST-2 a remote that is ${name} is told as that at once; what was decided waits, and goes once it can`,
    async () => {
      const { remote, clones } = await makeClones(['task-001']);
      const machine = await openMachine(clones[0], 'host/a');
      await machine.remoteSession.exchangeNow();
      const program = join(makeTempDir('flame-storage'), 'receive-pack');
      const script = `#!/bin/sh\nexec unshare -rm sh -c '${mount(remote)} && exec git-receive-pack "$@"' sh "$@"\n`;
      writeFileSync(program, script, { mode: 0o755 });
      clones[0].git('config', 'remote.origin.receivepack', program);
      const claimed = claim(machine, 'task-001', 'worker-0000000a');
      await until('it is told', () => machine.lost.length > 0);
      const [lost] = machine.lost;
      assert.is(lost?.code, 'remote-cannot-store');
      assert.match(lost?.message ?? '', message);
      assert.is((await taskIn(clones[0], 'task-001')).status, 'pending');
      await change(clones[0], 'task-001', { title: 'from a' });
      const error = await sync(clones[0]).catch((caught: unknown) => caught);
      assert.is(error instanceof FlameError && error.code, 'remote-cannot-store');
      clones[0].git('config', '--unset', 'remote.origin.receivepack');
      assert.is(await claimed, true);
      await machine.close();
      assert.equal(machine.lines, [false, true]);
      assert.is(stateOf(clones[0]), stateOf(remote));
    },
  );

test.run();
