import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Liveness, watchLiveness } from '../../../lib/core/machines/watch-liveness.ts';
import { makeOid } from '../../support/tasks.ts';

const leaseMs = 10_000;

/** Since when the machine counts as alive after looks at these times; `slept`: by how much the wall clock went on besides. */
function since(looks: readonly (readonly [now: number, tip: number, slept?: number])[]): number | null {
  let known: Liveness = new Map();
  for (const [now, tip, slept = 0] of looks)
    known = watchLiveness(known, new Map([['m', makeOid(`${tip}`)]]), { now, wallMs: now + slept, leaseMs });
  return known.get('m')?.aliveSince ?? null;
}

test('DST-1 a machine counts as alive from the first sign that was seen to come, as long as each follows within the lease', () => {
  assert.is(since([[0, 1]]), null);
  assert.is(
    since([
      [0, 1],
      [1_000, 1],
    ]),
    null,
  );
  assert.is(
    since([
      [0, 1],
      [1_000, 2],
      [5_000, 3],
      [9_000, 3],
    ]),
    1_000,
  );
});

test('DST-1 where the next sign came late, or may have, it counts from there on', () => {
  assert.is(
    since([
      [0, 1],
      [1_000, 2],
      [10_000, 2],
    ]),
    null,
  );
  assert.is(
    since([
      [0, 1],
      [1_000, 2],
      [12_000, 3],
    ]),
    12_000,
  );
  assert.is(
    since([
      [0, 1],
      [1_000, 2],
      [9_000, 2],
      [9_900, 2],
      [10_500, 3],
    ]),
    10_500,
    'it may have come before the look',
  );
});

test('DST-1 what the observer slept counts, by whichever clock went on', () => {
  assert.is(
    since([
      [0, 1],
      [1_000, 2],
      [2_000, 2, 60_000],
    ]),
    null,
  );
  assert.is(
    since([
      [0, 1],
      [1_000, 2],
      [2_000, 3, 60_000],
    ]),
    2_000,
  );
  assert.is(
    since([
      [0, 1],
      [1_000, 2],
      [2_000, 3, -60_000],
    ]),
    1_000,
    'a clock that was set back',
  );
});

test.run();
