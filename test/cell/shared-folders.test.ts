import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  return { shared, take, made, left: () => readdirSync(join(commonDir, 'blueflame/run')) };
}

test('a folder is made once for all that have it at the same time, and goes with the last of them', async () => {
  const { take, made, left } = openShared();
  const [one, two, other] = [take('a'), take('a'), take('b')];
  assert.equal(made, ['a', 'b']);
  assert.is(one.path, two.path);
  assert.is(readFileSync(join(other.path, 'tool'), 'utf8'), 'b');
  await one.release();
  await one.release();
  assert.ok(existsSync(join(two.path, 'tool')), 'given back twice is given back once');
  await two.release();
  assert.is(existsSync(two.path), false);
  const again = take('a');
  assert.equal(made, ['a', 'b', 'a']);
  await Promise.all([again.release(), other.release()]);
  assert.equal(left(), []);
});

test('one that is taken while the last one gives it back is another', async () => {
  const { take, left } = openShared();
  const one = take('a');
  const leaving = one.release();
  const two = take('a');
  await leaving;
  assert.is(readFileSync(join(two.path, 'tool'), 'utf8'), 'a');
  await two.release();
  assert.equal(left(), []);
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
  for (let looks = 0; left().length > 0 && looks < 1_000; looks += 1) await new Promise(setImmediate);
  assert.equal(left(), []);
});

test.run();
