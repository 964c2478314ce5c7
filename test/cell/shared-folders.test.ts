import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keepSharedFolders } from '../../lib/cell/shared-folders.ts';
import { makeTempDir } from '../support/repo.ts';

function openShared() {
  const commonDir = makeTempDir();
  mkdirSync(join(commonDir, 'blueflame'));
  const made: string[] = [];
  const shared = keepSharedFolders(commonDir);
  const take = (key: string) =>
    shared.take(key, (folder) => {
      made.push(key);
      writeFileSync(join(folder, 'tool'), key);
    });
  return { shared, take, made, left: () => readdirSync(join(commonDir, 'blueflame/run')).length };
}

test('a folder is made once for all that are shown the same, at the same time or one after the other', async () => {
  const { shared, take, made, left } = openShared();
  const [one, two, other] = [take('a'), take('a'), take('b')];
  assert.equal(made, ['a', 'b']);
  assert.is(one.path, two.path);
  assert.is(readFileSync(join(other.path, 'tool'), 'utf8'), 'b');
  await one.release();
  await one.release();
  assert.ok(existsSync(join(two.path, 'tool')), 'given back twice is given back once');
  await two.release();
  const again = take('a');
  assert.is(again.path, two.path);
  assert.equal(made, ['a', 'b']);
  await Promise.all([again.release(), other.release()]);
  assert.is(left(), 2);
  await shared.drop();
  assert.is(left(), 0);
});

test('once they were dropped none is kept, also one that was needed by then or is needed later', async () => {
  const { shared, take, left } = openShared();
  const held = take('a');
  await shared.drop();
  assert.ok(existsSync(join(held.path, 'tool')));
  await held.release();
  assert.is(left(), 0);
  const last = take('a');
  assert.is(readFileSync(join(last.path, 'tool'), 'utf8'), 'a');
  await last.release();
  assert.is(left(), 0);
});

test('one that was cleared up by hand meanwhile is made again', async () => {
  const { shared, take, made, left } = openShared();
  const held = take('a');
  await take('b').release();
  for (const path of [held.path, take('b').path]) rmSync(dirname(path), { recursive: true });
  const again = [take('a'), take('b')];
  assert.equal(
    again.map(({ path }) => readFileSync(join(path, 'tool'), 'utf8')),
    ['a', 'b'],
  );
  assert.equal(made, ['a', 'b', 'a', 'b']);
  await held.release();
  assert.ok(existsSync(join(again[0]?.path ?? '', 'tool')));
  await Promise.all(again.map((one) => one.release()));
  await shared.drop();
  assert.is(left(), 0);
});

test('two are kept that nobody needs, those that were given back last', async () => {
  const { shared, take, made, left } = openShared();
  for (const key of ['a', 'b', 'a', 'c']) await take(key).release();
  assert.is(left(), 2);
  assert.equal(made, ['a', 'b', 'c']);
  for (const key of ['a', 'c', 'b']) await take(key).release();
  assert.equal(made, ['a', 'b', 'c', 'b']);
  await shared.drop();
  assert.is(left(), 0);
});

test('what can not be filled leaves nothing, and the next one tries again', async () => {
  const { shared, take, left } = openShared();
  assert.throws(
    () =>
      shared.take('a', () => {
        throw new Error('no space is left');
      }),
    /no space is left/,
  );
  const next = take('a');
  await next.release();
  await shared.drop();
  for (let looks = 0; left() > 0 && looks < 1_000; looks += 1) await new Promise(setImmediate);
  assert.is(left(), 0);
});

test.run();
