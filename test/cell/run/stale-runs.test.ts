import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endStaleRun, listStaleRuns, removeStaleCanaries } from '../../../lib/cell/run/end-runs.ts';
import { makeRunFolder } from '../../../lib/cell/run-folder.ts';
import { ownIdentity } from '../../../lib/util/process-identity.ts';
import { freshAgentId } from '../../support/agent-id.ts';
import { makeTempDir } from '../../support/repo.ts';

const gone = { ...ownIdentity(), start: '1' };

for (const [what, script] of [
  ['ends by itself', 'echo up; sleep 300 & wait'],
  ['does not listen', "trap '' TERM; echo up; while :; do sleep 1; done"],
] as const) {
  test(`LIF-4 an orphan that ${what} is ended with what it started; other processes are not`, async () => {
    const commonDir = makeTempDir();
    const [id, otherId] = [freshAgentId(), freshAgentId()];
    const folder = join(commonDir, 'blueflame/run', id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'owner.json'), JSON.stringify(gone));
    const start = (mark: string) =>
      spawn('sh', ['-c', script], { env: { PATH: process.env.PATH, BLUEFLAME_CELL: mark }, detached: true });
    const [orphan, other] = [start(id), start(otherId)];
    const ended = once(orphan, 'exit');
    await Promise.all([once(orphan.stdout, 'data'), once(other.stdout, 'data')]);
    assert.equal(listStaleRuns(commonDir, new Date()), [folder]);
    assert.is(await endStaleRun(folder), true);
    await ended;
    assert.is(existsSync(folder), false);
    assert.is(other.exitCode ?? other.signalCode, null);
    process.kill(-(other.pid ?? 0), 'SIGKILL');
    await once(other, 'exit');
  });
}

test('a run folder appears with its owner in it; one that a kill left half made is stale at once', async () => {
  const commonDir = makeTempDir();
  const folder = makeRunFolder(commonDir, 'worker-1a2b3c4d');
  assert.equal(listStaleRuns(commonDir, new Date()), []);
  const half = join(commonDir, 'blueflame/run/worker-00000000.4194304.new');
  mkdirSync(half);
  mkdirSync(join(commonDir, `blueflame/run/worker-11111111.${process.pid}.new`));
  assert.equal(listStaleRuns(commonDir, new Date()), [half]);
  await folder.remove();
});

test('of a run in another container nothing is known: its folder stays for a day', () => {
  const commonDir = makeTempDir();
  const folder = join(commonDir, 'blueflame/run/worker-1a2b3c4d');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'owner.json'), JSON.stringify({ ...ownIdentity(), namespace: 'pid:[1]' }));
  assert.equal(listStaleRuns(commonDir, new Date()), []);
  assert.equal(listStaleRuns(commonDir, new Date(Date.now() + 25 * 3_600_000)), [folder]);
});

test('folders of canaries whose tool was killed are removed, those of living ones are not', () => {
  const owners = {
    dead: { ...ownIdentity(), pid: 4_194_304 },
    living: ownIdentity(),
    elsewhere: { ...ownIdentity(), pid: 4_194_304, namespace: 'pid:[1]' },
    begun: null,
  };
  const folders = Object.entries(owners).map(([name, owner]) => {
    const folder = join(tmpdir(), `flame-canary-${name}-${process.pid}`);
    mkdirSync(folder);
    if (owner !== null) writeFileSync(join(folder, 'owner.json'), JSON.stringify(owner));
    return folder;
  });
  removeStaleCanaries(new Date());
  assert.equal(folders.map(existsSync), [false, true, true, true]);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test.run();
