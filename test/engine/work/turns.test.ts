import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RankedWorkQueue } from '../../../lib/engine/work/running-attempts.ts';

/** Work that goes on until it is told to end, and what has begun by now. */
function openTurns(isLong: (ended: AbortSignal) => Promise<void> = untilEnded) {
  const turns = new RankedWorkQueue({ atOnce: 2, isLong });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const take = (name: string, rank: () => number) =>
    turns.take(rank, () => {
      begun.push(name);
      return new Promise<string>((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
      );
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    ends.get(name)?.(error);
    await settled();
  };
  return { take, begun, end };
}

function untilEnded(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => ended.addEventListener('abort', () => resolve()));
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('few have their turn at once; then it is the one with the highest rank by then, else the first', async () => {
  const { take, begun, end } = openTurns();
  const ranks: Record<string, number> = { c: 0, d: 1, e: 0, f: 5 };
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => take(name, () => ranks[name] ?? 0));
  await settled();
  assert.equal(begun, ['a', 'b']);
  ranks.e = 9;
  ranks.f = 0;
  await end('b');
  await end('a');
  assert.equal(begun, ['a', 'b', 'e', 'd']);
  await end('d');
  assert.equal(begun, ['a', 'b', 'e', 'd', 'c']);
  await end('e');
  assert.equal(begun, ['a', 'b', 'e', 'd', 'c', 'f']);
  await end('c');
  await end('f');
  assert.equal(await Promise.all(all), ['a', 'b', 'c', 'd', 'e', 'f']);
});

test('what fails hands its turn on as well, and who comes later finds it free', async () => {
  const { take, begun, end } = openTurns();
  const rank = (): number => 0;
  const [first, second, third] = ['a', 'b', 'c'].map((name) => take(name, rank));
  const failed = first?.catch(({ message }: Error) => message);
  await end('a', new Error('no'));
  assert.is(await failed, 'no');
  assert.equal(begun, ['a', 'b', 'c']);
  await end('b');
  await end('c');
  await Promise.all([second, third]);
  const last = take('d', rank);
  assert.equal(begun, ['a', 'b', 'c', 'd']);
  await end('d');
  assert.is(await last, 'd');
});

test('nobody waits for what takes long, and its end gives no second turn away', async () => {
  let tooLong: () => void = () => undefined;
  const { take, begun, end } = openTurns((ended) =>
    Promise.race([untilEnded(ended), new Promise<void>((resolve) => (tooLong = resolve))]),
  );
  const rank = (): number => 0;
  const all = ['a', 'b', 'c', 'd'].map((name) => take(name, rank));
  // Of the one that began last.
  tooLong();
  await settled();
  assert.equal(begun, ['a', 'b', 'c']);
  await end('b');
  assert.equal(begun, ['a', 'b', 'c']);
  await end('a');
  assert.equal(begun, ['a', 'b', 'c', 'd']);
  await end('c');
  await end('d');
  assert.equal(await Promise.all(all), ['a', 'b', 'c', 'd']);
});

test.run();
