import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId, parseRefName } from '../../../lib/domain/ids.ts';
import { PushRefusalHistory } from '../../../lib/store/sync/push-refusals.ts';

const refusal = { ref: 'refs/heads/main', reason: 'stale info', mayPass: true, stderr: 'stale info' };
const [tasks, machine] = ['refs/blueflame/tasks', 'refs/blueflame/machines/ses-1/m1'].map(parseRefName);

function oid(digit: number): ObjectId {
  return parseObjectId(`${digit}`.repeat(40));
}

/** How many times the push was tried before it was told. */
function triesUntilTold(tip: (round: number) => ReadonlyMap<string, ObjectId>): number {
  const refusals = new PushRefusalHistory('origin');
  for (let round = 1; round <= 9; round += 1) {
    const specs = [tasks, machine].map((to) => ({ from: oid(round), to: `${to}` }));
    try {
      refusals.note(refusal, specs, tip(round) as Parameters<PushRefusalHistory['note']>[2]);
    } catch {
      return round;
    }
  }
  return Number.POSITIVE_INFINITY;
}

test('DST-1 a push refused where nothing moved is told at the third time, though signs of life went by', () => {
  const still = triesUntilTold(
    (round) =>
      new Map([
        [`${tasks}`, oid(1)],
        [`${machine}`, oid(round)],
      ]),
  );
  assert.is(still, 3);
});

test('DST-1 a push that another clone was quicker than is tried again', () => {
  assert.is(
    triesUntilTold((round) => new Map([[`${tasks}`, oid(round)]])),
    Number.POSITIVE_INFINITY,
  );
});

test.run();
