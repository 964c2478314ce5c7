import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ObjectId } from '../../../lib/domain/ids.ts';
import { createSecretScanner } from '../../../lib/engine/post-check/scan-secrets.ts';

const token = `ghp_${'a1B2'.repeat(9)}`;
const id = (name: string): ObjectId => name.repeat(40) as ObjectId;

test('a content is searched once, however many paths have it', async () => {
  const scanner = createSecretScanner(undefined);
  let reads = 0;
  const read = async (): Promise<string> => {
    reads += 1;
    return `x\n${token}\n`;
  };
  for (let path = 0; path < 500; path += 1) {
    const found = await scanner.scan({ blob: id('a'), old: null, isBinary: false }, read);
    assert.equal(found, [{ id: 'github-token', line: 2 }]);
  }
  assert.is(reads, 1);
  await scanner.scan({ blob: id('a'), old: id('b'), isBinary: false }, read);
  assert.is(reads, 3, 'what it was changed from makes a difference');
});

test('a large content is searched while others go on', async () => {
  const large = `${'some words of a line\n'.repeat(1_500_000)}${token}\n`;
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 1);
  const scanner = createSecretScanner(undefined);
  for (const name of ['c', 'd']) {
    const found = await scanner.scan({ blob: id(name), old: null, isBinary: false }, async () => large);
    assert.equal(found, [{ id: 'github-token', line: 1_500_001 }]);
    assert.ok(ticks > 5, `${ticks}`);
  }
  clearInterval(ticking);
});

test('a person who stopped the program does not wait for it', async () => {
  const stopped = new AbortController();
  stopped.abort();
  const scanner = createSecretScanner(stopped.signal);
  const scan = (name: string, size: number): Promise<unknown> =>
    scanner.scan({ blob: id(name), old: null, isBinary: false }, async () => 'x'.repeat(size));
  await scan('a', 1_000);
  try {
    await scan('b', 1_000_000);
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /Stopped/);
  }
});

test.run();
