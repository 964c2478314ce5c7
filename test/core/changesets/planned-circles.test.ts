import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findInseparableGroups } from '../../../lib/core/changesets/cohesion-groups.ts';
import { listPlannedOverlaps, predictTaskBatches } from '../../../lib/core/schedule/predict-batches.ts';
import { planSchema } from '../../../lib/domain/state/plan-schema.ts';

type Row = readonly [id: string, group: string, lock: string, ...dependencies: string[]];

function circles(...rows: readonly Row[]): readonly string[] {
  const plan = planSchema.parse({
    tasks: rows.map(([id, cohesion_group, lock, ...dependencies]) => ({
      ...{ id, title: id, description: id, cohesion_group, file_locks: [lock], dependencies },
    })),
  });
  const ground = listPlannedOverlaps(plan.tasks, predictTaskBatches(plan.tasks, 4));
  return findInseparableGroups(plan, ground).map(({ kind, groups }) => `${kind}: ${groups.join(' ')}`);
}

test('STK-2 groups whose tasks depend on each other in a circle come together', () => {
  const rows: readonly Row[] = [
    ['a1', 'a', 'one'],
    ['b1', 'b', 'two', 'a1'],
    ['a2', 'a', 'three', 'b1'],
    ['c1', 'c', 'four', 'a2'],
  ];
  assert.equal(circles(...rows), ['together: a b']);
});

test('STK-2 groups that build on the files of each other in turn come in parts', () => {
  const rows: readonly Row[] = [
    ['t1', 'a', 'shared'],
    ['t2', 'b', 'shared'],
    ['t3', 'a', 'shared'],
  ];
  assert.equal(circles(...rows), ['in-parts: a a-2']);
});

test('STK-2 of groups in one order nothing is said', () => {
  assert.equal(circles(['t1', 'a', 'shared'], ['t2', 'b', 'shared'], ['t3', 'b', 'other', 't1']), []);
});

test.run();
