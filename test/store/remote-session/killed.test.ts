import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir, type TestRepo } from '../../support/repo.ts';
import { type Clones, makeClones, stateOf, sync, taskIn } from '../sync-clones.ts';

const victim = join(dirname(process.argv[1] ?? ''), 'claim-victim.js');

function run(repo: TestRepo, env: Readonly<Record<string, string>>): { said: string; signal: string | null } {
  const argv = [victim, repo.path, 'task-001', 'worker-0000000a'];
  const { stdout, signal } = spawnSync(process.execPath, argv, {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { said: stdout, signal };
}

function claimsOf({ remote }: Clones): number {
  const log = remote.git('log', '--format=%s', '--grep=-> claimed by', 'refs/blueflame/tasks');
  return log.split('\n').filter(Boolean).length;
}

const file = join(makeTempDir('flame-points'), 'log');
writeFileSync(file, '');
const undisturbed = await makeClones(['task-001']);
const first = run(undisturbed.clones[0], { FLAME_TEST_KILL_LOG: file });
const points = readFileSync(file, 'utf8').trim().split('\n');

test('undisturbed, a claim is made once, and passes through what is sent and what was taken', () => {
  assert.is(first.said, 'won');
  assert.is(claimsOf(undisturbed), 1);
  for (const kind of ['remote to push', 'remote done', 'refs sent', 'refs done', 'object written'])
    assert.ok(
      points.some((point) => point.includes(kind)),
      `${kind}\n${points.join('\n')}`,
    );
});

// By hand FLAME_KILL=all takes every moment; else those around what is sent, and the last at which refs move here.
const isAll = process.env.FLAME_KILL === 'all';
const lastMove = points.findLast((point) => point.includes('refs sent'));
const chosen = points.filter((point) => isAll || point === lastMove || / remote (?:to push|done)/.test(point));

for (const point of chosen) {
  const at = point.split(' ')[0] ?? '';
  test(`LIF-4 DST-1 a machine killed at ${point.replace(/\/ses-\S+/g, '')}: claimed once at most, and its clone goes on`, async () => {
    const made = await makeClones(['task-001']);
    assert.is(run(made.clones[0], { FLAME_TEST_KILL_AT: at }).signal, 'SIGKILL');
    const wasTaken = claimsOf(made);
    assert.is(run(made.clones[0], {}).said, wasTaken === 0 ? 'won' : 'lost');
    assert.is(claimsOf(made), 1);
    for (const repo of made.clones.slice(0, 2)) await sync(repo);
    assert.is((await taskIn(made.clones[1], 'task-001')).agent_id, 'worker-0000000a');
    const own = (repo: TestRepo): string => stateOf(repo).replace(/^.*\/machines\/.*\n?/gm, '');
    assert.is(own(made.clones[0]), own(made.remote));
    assert.is(own(made.clones[1]), own(made.remote));
  });
}

test.run();
