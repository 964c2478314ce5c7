import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WriterProcessQueue } from '../../../lib/store/write/write-queue.ts';
import { makeTempDir } from '../../support/repo.ts';
import { until } from '../../support/until.ts';

const nothing = async (): Promise<void> => undefined;

test('UNI-2 first come, first served', async () => {
  const queue = new WriterProcessQueue(makeTempDir());
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

test('UNI-2 who waits prepares once, while the one before has its turn', async () => {
  const queue = new WriterProcessQueue(makeTempDir());
  const said: string[] = [];
  const leave = await queue.enter(nothing);
  const others = ['a', 'b'].map(async (name) => {
    const done = await queue.enter(async () => {
      said.push(`${name} prepares`);
    });
    said.push(`${name} begins`);
    await done();
  });
  await until('a prepares', () => said.includes('a prepares'));
  await leave();
  await Promise.all(others);
  assert.equal(
    said.filter((line) => line.startsWith('a')),
    ['a prepares', 'a begins'],
  );
  assert.is(said.filter((line) => line === 'b prepares').length <= 1, true);
  assert.is(said.at(-1), 'b begins');
});

test('UNI-2 where the turn takes too long the next one begins beside it, and the others still wait for that one', async () => {
  const queue = new WriterProcessQueue(makeTempDir(), { patienceMs: 1_000 });
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
