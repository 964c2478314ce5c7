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
import type { TestRepo } from '../support/repo.ts';

// By hand: FLAME_KILL=all node build/test/run.js e2e/killed-several, or FLAME_KILL=17,18 for these.
const sampleSize = sampleOf(4, 8);

const undisturbed = makeVictim('several');
const points = listKillPoints(undisturbed);
const expected = await endState(undisturbed);

test('the undisturbed run makes three attempts at the first task, and lands one of them', () => {
  assert.is(expected.session, 'ended');
  assert.is(triesOf(undisturbed), 3);
  assert.equal(findRemains(undisturbed), []);
});

for (const at of choosePoints(points, sample)) {
  test(`RND-4 LIF-4 killed at ${points[at - 1] ?? at}, then started again: as if nothing had happened`, async () => {
    const repo = makeVictim('several');
    const killed = start(repo, undefined, { FLAME_TEST_KILL_AT: String(at) });
    if (killed.signal !== 'SIGKILL') assert.is(killed.code, 0, killed.stderr);
    assert.is(findDamage(repo), '');
    assert.is(findTornLanding(repo), '');
    const again = await startAgain(repo);
    assert.is(again.code, 0, again.stderr);
    assert.equal(await endState(repo), expected, again.stderr);
    assert.is(triesOf(repo), 3, 'what was handed in before is not made again');
    const isKept = /of ended agents and stays?\./.test(again.stderr);
    const remains = findRemains(repo).filter((path) => !isKept || !/\bworker-[0-9a-f]{8}\b/.test(path));
    assert.equal(remains, [], again.stderr);
    rmSync(dirname(repo.path), { recursive: true, force: true });
  });
}

/** How many attempts were handed in, in all. */
function triesOf(repo: TestRepo): number {
  const subjects = repo.git('log', '--format=%s', 'refs/blueflame/tasks').split('\n');
  return subjects.filter((line) => /\battempt \d of 3 by \S+ submitted/.test(line)).length;
}

/** Before the first agent begins and up to the one of the next task: what comes after is as in any run. */
function sample(all: readonly number[]): readonly number[] {
  const places = (word: string): readonly number[] => all.filter((at) => points[at - 1]?.includes(word) === true);
  const from = places('cell ready')[0] ?? 1;
  const to = places('agent registered')[3] ?? points.length;
  return makeRandom(7)
    .shuffle(all.filter((at) => at >= from && at <= to))
    .slice(0, sampleSize)
    .sort((a, b) => a - b);
}

test.run();
