import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findSharedLock, LockIndex } from '../../../lib/core/schedule/shared-locks.ts';
import { makeRandom } from '../../support/random.ts';

const parts = ['src', 'SRC', 'lib', 'a.ts', 'b.ts', '*', '**', '*.ts', '{a,b}.ts', 'a[bc].ts', '..', '', '+(a)'];

function randomLock(random: ReturnType<typeof makeRandom>): string {
  return Array.from({ length: random.int(1, 4) }, () => random.pick(parts as [string, ...string[]])).join('/');
}

test('SCH-2 the index finds the same first one, by the same lock, as comparing each with each', () => {
  let found = 0;
  for (let seed = 1; seed <= 400; seed += 1) {
    const random = makeRandom(seed);
    const locksOf = (): string[] => Array.from({ length: random.int(0, 3) }, () => randomLock(random));
    const all = Array.from({ length: random.int(0, 30) }, (_, at) => ({ id: at, file_locks: locksOf() }));
    const index = new LockIndex(all);
    for (let turn = 0; turn < 10; turn += 1) {
      const task = { file_locks: locksOf() };
      const other = all.find((one) => findSharedLock(task, one) !== null);
      const expected = other === undefined ? null : { other, lock: findSharedLock(task, other) };
      assert.equal(index.find(task), expected, `seed ${seed}: ${task.file_locks.join(' ')}`);
      if (other !== undefined) found += 1;
    }
  }
  assert.ok(found > 500, `${found}`);
});

test('SCH-2 many tasks that are apart are not compared with each other', () => {
  const read: number[] = [];
  const all = Array.from({ length: 2_000 }, (_, at) => ({
    get file_locks() {
      read.push(at);
      return [`src/task-${at}.ts`];
    },
  }));
  const index = new LockIndex(all);
  read.length = 0;
  assert.is(index.find({ file_locks: ['src/other.ts'] }), null);
  assert.is(index.find({ file_locks: ['src/task-7.ts'] })?.other, all[7]);
  assert.equal([...new Set(read)], [7]);
});

test.run();
