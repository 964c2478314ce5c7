import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  choosePoints,
  endState,
  findDamage,
  findRemains,
  findTornLanding,
  listKillPoints,
  makeVictim,
  start,
  startAgain,
} from '../support/kill-rig.ts';

// By hand: FLAME_KILL=all node build/test/run.js e2e/killed-redone, or FLAME_KILL=17,18 for these.

const undisturbed = makeVictim('redone');
const points = listKillPoints(undisturbed);
const expected = await endState(undisturbed);

test('STK-3 the undisturbed run does the first twice, the others once, and lands all', () => {
  assert.is(undisturbed.git('show', 'main:src/price.txt').replace(/\n+/g, ' '), '# one one # two two # three three');
  assert.is(expected.cycle, 2);
  assert.equal(
    (expected.tasks as readonly { readonly done: number }[]).map(({ done }) => done),
    [2, 1, 1],
  );
});

for (const at of choosePoints(points, sample)) {
  test(`STK-3 LIF-4 killed at ${points[at - 1] ?? at}, then started again: as if nothing had happened`, async () => {
    const repo = makeVictim('redone');
    const killed = start(repo, undefined, { FLAME_TEST_KILL_AT: String(at) });
    if (killed.signal !== 'SIGKILL') assert.is(killed.code, 0, killed.stderr);
    assert.is(findDamage(repo), '');
    const again = await startAgain(repo);
    assert.is(again.code, 0, again.stderr);
    assert.equal(await endState(repo), expected, again.stderr);
    assert.equal(findRemains(repo), [], again.stderr);
    assert.is(findTornLanding(repo), '');
    // Those that fail stay, to be looked at until the run of this file ends.
    rmSync(dirname(repo.path), { recursive: true, force: true });
  });
}

/** The second time its branch moves, the second one is put on the new work of the first. */
function sample(all: readonly number[]): readonly number[] {
  const moves = all.filter((at) => /refs .*tasks .*task-002$/.test(points[at - 1] ?? ''));
  return moves.slice(3, 6);
}

test.run();
