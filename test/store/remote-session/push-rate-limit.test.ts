import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PushRateLimit, recommendPushesPerMinute } from '../../../lib/store/remote-session/remote-git-runner.ts';
import { makeTempDir, type TestRepo } from '../../support/repo.ts';
import { createTasks, sampleTask } from '../sample.ts';
import { inStore, makeClones, sync } from '../sync-clones.ts';
import { claim, openMachine } from './machine.ts';

/** How many pushes all machines together make in an hour in which each always has something to push. */
function pushesInAnHour(machines: number, perMinute: number | null): number {
  let now = 0;
  const paces = Array.from({ length: machines }, () => new PushRateLimit(perMinute, () => now));
  let pushes = 0;
  for (; now < 3_600_000; now += 100)
    for (const pace of paces)
      if (pace.waitMs() === 0) {
        pace.pushed(machines);
        pushes += 1;
      }
  return pushes;
}

test('what a host asks for is kept to by all machines together, but for the first few of each', () => {
  for (const machines of [1, 4, 16]) {
    const pushes = pushesInAnHour(machines, 6);
    assert.ok(pushes <= 60 * 6 + 3 * machines, `${machines}: ${pushes}`);
    assert.ok(pushes >= 60 * 6 - machines, `${machines}: ${pushes}`);
  }
  assert.ok(pushesInAnHour(1, null) > 10_000, 'no limit, no wait');
});

test('GitHub is known by the address of a remote, however it is written', () => {
  for (const url of ['https://github.com/a/b', 'git@github.com:a/b.git', 'ssh://git@ssh.github.com:443/a/b'])
    assert.is(recommendPushesPerMinute(url), 6, url);
  for (const url of ['https://notgithub.com/a/b', 'https://example.com/github.com.git', '/srv/github.community/x'])
    assert.is(recommendPushesPerMinute(url), null, url);
});

/** Counts the bytes that pushes of a clone carry, to the server and from it. */
function countBytes(repo: TestRepo): () => readonly [number, number] {
  const folder = makeTempDir('flame-bytes');
  const program = join(folder, 'receive-pack');
  const [up, down] = [join(folder, 'up'), join(folder, 'down')];
  for (const file of [up, down]) writeFileSync(file, '');
  const script = `#!/bin/sh\ntee -a '${up}' | git-receive-pack "$@" | tee -a '${down}'\n`;
  writeFileSync(program, script, { mode: 0o755 });
  repo.git('config', 'remote.origin.receivepack', program);
  return () => [readFileSync(up).length, readFileSync(down).length];
}

/** What one claim costs at a remote with so many tasks, the refs it has included. */
async function costOf(count: number): Promise<{ readonly bytes: readonly [number, number]; readonly refs: number }> {
  const { remote, clones } = await makeClones(['task-001']);
  const more = Array.from({ length: count - 1 }, (_, at) => sampleTask(`task-${at + 1_000}`));
  await inStore(clones[0], (store) => createTasks(store, more));
  await sync(clones[0]);
  const machine = await openMachine(clones[0], 'host/a');
  await machine.remoteSession.exchangeNow();
  const bytes = countBytes(clones[0]);
  assert.is(await claim(machine, 'task-001', 'worker-0000000a'), true);
  await machine.close();
  return { bytes: bytes(), refs: remote.git('for-each-ref').split('\n').length };
}

test('what a push costs does not grow with tasks: neither what it carries, nor the refs it is told of', async () => {
  const [few, many] = [await costOf(300), await costOf(1_200)];
  if (process.env.FLAME_TEST_TIMES === '1')
    process.stdout.write(`300 tasks: ${JSON.stringify(few)}, 1200: ${JSON.stringify(many)}\n`);
  assert.is(many.refs, few.refs);
  const [[up, down], [moreUp, moreDown]] = [few.bytes, many.bytes];
  assert.is(moreDown, down);
  // A folder of the notes holds a few more of them.
  assert.ok(moreUp < up * 2, `${up} bytes, then ${moreUp}`);
});

test.run();
