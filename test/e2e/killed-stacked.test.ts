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
  sampleOf,
  start,
  startAgain,
} from '../support/kill-rig.ts';
import { makeRandom } from '../support/random.ts';

// By hand: FLAME_KILL=all node build/test/run.js e2e/killed-stacked, or FLAME_KILL=17,18 for these.
const sampleSize = sampleOf(3, 6);

const undisturbed = makeVictim('stacked');
const points = listKillPoints(undisturbed);
const expected = await endState(undisturbed);

test('the undisturbed run lands the first and the third, in one cycle and one attempt each', () => {
  assert.is(undisturbed.git('show', 'main:src/price.txt').replace(/\n+/g, ' '), '# one one # two # three three');
  assert.is(expected.cycle, 1);
  assert.equal(findRemains(undisturbed), []);
});

for (const at of choosePoints(points, sample)) {
  test(`STK-3 LIF-4 killed at ${points[at - 1] ?? at}, then started again: as if nothing had happened`, async () => {
    const repo = makeVictim('stacked');
    const killed = start(repo, undefined, { FLAME_TEST_KILL_AT: String(at) });
    if (killed.signal !== 'SIGKILL') assert.is(killed.code, 0, killed.stderr);
    assert.is(findDamage(repo), '');
    assert.is(findTornLanding(repo), '');
    const again = await startAgain(repo);
    assert.is(again.code, 0, again.stderr);
    assert.equal(await endState(repo), expected, again.stderr);
    // The session is stopped, not over: a worktree that held work when its agent was killed stays, and is named.
    const isKept = /of ended agents and stays?\./.test(again.stderr);
    const remains = findRemains(repo).filter((path) => !isKept || !/\bworker-[0-9a-f]{8}\b/.test(path));
    assert.equal(remains, [], again.stderr);
    assert.is(findTornLanding(repo), '');
    // Those that fail stay, to be looked at until the run of this file ends.
    rmSync(dirname(repo.path), { recursive: true, force: true });
  });
}

/** What comes before the first review is as in any run: most are of what follows. */
function sample(all: readonly number[]): readonly number[] {
  const refs = all.filter((at) => /refs (?:sent|done)/.test(points[at - 1] ?? ''));
  return makeRandom(11)
    .shuffle(refs.slice(-30))
    .slice(0, sampleSize)
    .sort((a, b) => a - b);
}

test.run();
