import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isGivenUp, type LeaseWatch, updateLeaseWatch } from '../../../lib/core/machines/lease-watch.ts';
import { makeOid } from '../../support/tasks.ts';

const lease = { leaseMs: 10_000, renewMs: 3_000 };
const at = (n: number) => new Map([['m', makeOid(String(n))]]);

function watch(looks: readonly (readonly [elapsedMs: number, tip: number | null])[]): number {
  let known: LeaseWatch = new Map();
  for (const [elapsedMs, tip] of looks)
    known = updateLeaseWatch(known, tip === null ? new Map() : at(tip), {
      elapsedMs,
      renewMs: lease.renewMs,
    });
  return known.get('m')?.silentMs ?? -1;
}

test('DST-1 a sign that moves is alive, one that stands still for the lease is gone', () => {
  assert.is(
    watch([
      [0, 1],
      [3_000, 2],
      [3_000, 3],
    ]),
    0,
  );
  assert.is(
    watch([
      [0, 1],
      [3_000, 1],
      [3_000, 1],
      [3_000, 1],
      [1_000, 1],
    ]),
    10_000,
  );
  assert.equal(
    [0, 9_999, 10_000].map((silentMs) => isGivenUp({ silentMs }, lease)),
    [false, false, true],
  );
});

test('DST-1 what kept the observer from looking gives nobody up: a sleep, a cut line, a clock that ran back', () => {
  assert.is(
    watch([
      [0, 1],
      [3_600_000, 1],
    ]),
    3_000,
  );
  assert.is(
    watch([
      [0, 1],
      [-3_600_000, 1],
    ]),
    0,
  );
});

test('DST-1 a sign that is gone is watched like one that stays, and one that comes back is alive', () => {
  assert.is(
    watch([
      [0, 1],
      [3_000, null],
      [3_000, null],
    ]),
    3_000,
  );
  assert.is(
    watch([
      [0, 1],
      [3_000, null],
      [3_000, null],
      [3_000, 1],
    ]),
    0,
  );
});

test.run();
