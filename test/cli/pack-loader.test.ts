import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PackLoader } from '../../lib/cli/pack-loader.ts';
import { makeTempDir } from '../support/repo.ts';

const start = { file: 'first.cjs', chunk: './first.mjs' };

interface Program {
  sum(): number;
}

test('a chunk is loaded from its pack, once, with what it needs of other packs and of node', () => {
  const folder = writeProgram();
  assert.is(open(folder).sum(), 42);
  const loader = new PackLoader(folder, start);
  assert.is(loader.start(), loader.start());
});

test('what was compiled is kept where there is none, and taken from there', () => {
  const folder = writeProgram();
  open(folder, true);
  const [kept = ''] = keptIn(folder);
  assert.match(kept, `first.cjs.${process.version}-${process.arch}.cache`);
  // The small one is compiled each time.
  assert.is(keptIn(folder).length, 1);
  const { ino } = statSync(join(folder, kept));
  assert.is(open(folder, true).sum(), 42);
  assert.is(statSync(join(folder, kept)).ino, ino);
});

test('what is kept of other content, damaged or cut off is not believed', () => {
  const [folder, other] = [writeProgram(), writeProgram(43)];
  for (const place of [folder, other]) open(place, true);
  const [kept = ''] = keptIn(folder);
  const good = readFileSync(join(folder, kept));
  // The same length, as only another value is: the file's name tells them apart, so that this is never met.
  assert.is(good.length > 0 && keptIn(other)[0], kept);
  const damaged = Buffer.from(good);
  damaged.fill(0, 0, 64);
  for (const bytes of [
    Buffer.alloc(0),
    good.subarray(0, good.length >> 1),
    damaged,
    Buffer.alloc(good.length),
  ]) {
    // Elsewhere: a process does not look at what is kept of a file it has compiled itself.
    const place = writeProgram();
    writeFileSync(join(place, kept), bytes);
    assert.is(open(place, true).sum(), 42);
    assert.ok(!readFileSync(join(place, kept)).equals(bytes), 'what V8 refused is written anew');
  }
});

test('nothing is kept in a folder that others may write', () => {
  const folder = writeProgram();
  chmodSync(folder, 0o777);
  open(folder, true);
  assert.equal(keptIn(folder), []);
});

test('a chunk that is in no pack is an error that names it', () => {
  const folder = writeProgram();
  writeFileSync(join(folder, 'packs.json'), '{}');
  assert.throws(() => open(folder), /Internal error: \.\/second\.mjs is in no pack of/);
});

function open(folder: string, isKept = false): Program {
  const loader = new PackLoader(folder, start);
  const program = loader.start();
  if (!isProgram(program)) throw new Error('It exports something else.');
  program.sum();
  if (isKept) loader.keepCompiled();
  return program;
}

function isProgram(value: unknown): value is Program {
  return typeof value === 'object' && value !== null && 'sum' in value && typeof value.sum === 'function';
}

/** Two packs, the first large enough to be kept. */
function writeProgram(value = 42): string {
  const folder = makeTempDir('flame-packs');
  const chunk = `() => {
    const { join } = require('node:path');
    const { value } = require('./second.mjs');
    return { sum: () => (join('a', 'b') === 'a/b' ? value : 0) };
  }`;
  const pack = (chunks: string): string =>
    `(function (module, require, __packUrl) { module.exports = { ${chunks} }; })\n`;
  writeFileSync(join(folder, 'first.cjs'), pack(`'./first.mjs': ${chunk}`) + ' '.repeat(65_536));
  writeFileSync(join(folder, 'second.cjs'), pack(`'./second.mjs': () => ({ value: ${value} })`));
  writeFileSync(
    join(folder, 'packs.json'),
    JSON.stringify({ './first.mjs': 'first.cjs', './second.mjs': 'second.cjs' }),
  );
  return folder;
}

function keptIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.includes('.cache'));
}

test.run();
