import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WriteQueue } from '../../../lib/store/write/write-queue.ts';
import { makeTempDir } from '../../support/repo.ts';

const nothing = async (): Promise<void> => undefined;

test('UNI-2 first come, first served', async () => {
  const queue = new WriteQueue(makeTempDir());
  const order: number[] = [];
  const leave = await queue.enter(nothing);
  const others = [1, 2, 3].map(async (name) => {
    const done = await queue.enter(nothing);
    order.push(name);
    await done();
  });
  order.push(0);
  await leave();
  await Promise.all(others);
  assert.equal(order, [0, 1, 2, 3]);
  assert.is(queue.isUsed(), false);
});

test('UNI-2 where the turn takes too long the next one begins beside it, and the others still wait for that one', async () => {
  const queue = new WriteQueue(makeTempDir(), { patienceMs: 1_000 });
  const leaveHung = await queue.enter(nothing);
  const atWork = new Set<number>();
  const together: number[] = [];
  const work = async (name: number): Promise<void> => {
    const leave = await queue.enter(nothing);
    atWork.add(name);
    together.push(atWork.size);
    // As long as a transaction may take: others look meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 20));
    atWork.delete(name);
    await leave();
  };
  await Promise.all([work(1), work(2), work(3)]);
  assert.equal(together, [1, 1, 1]);
  await leaveHung();
});

test.run();
