import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadProgram } from '../../lib/cli/load-program.ts';
import { makeTempDir } from '../support/repo.ts';

interface Program {
  sum(): number;
  readonly url: string;
}

test('the program is run with what it needs of node, and knows where it is', () => {
  const file = writeProgram();
  const { sum, url } = open(file);
  assert.is(sum(), 42);
  assert.is(url, `file://${file}`);
});

test('what was compiled is kept where there is none, and taken from there', () => {
  const file = writeProgram();
  open(file, true);
  const folder = join(file, '..');
  const [kept = ''] = keptIn(folder);
  assert.match(kept, `program.cjs.${process.version}-${process.arch}.cache`);
  const { ino } = statSync(join(folder, kept));
  assert.is(open(file, true).sum(), 42);
  assert.is(statSync(join(folder, kept)).ino, ino);
});

test('what is kept of another version goes when another one is kept', () => {
  const file = writeProgram();
  const folder = join(file, '..');
  writeFileSync(join(folder, 'program-old.cjs.v1.0.0-x64.cache'), '');
  open(file, true);
  assert.equal(keptIn(folder), [`program.cjs.${process.version}-${process.arch}.cache`]);
});

test('what is kept of other content, damaged or cut off is not believed', () => {
  const [file, other] = [writeProgram(), writeProgram(43)];
  for (const one of [file, other]) open(one, true);
  const [kept = ''] = keptIn(join(file, '..'));
  const good = readFileSync(join(file, '..', kept));
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
    writeFileSync(join(place, '..', kept), bytes);
    assert.is(open(place, true).sum(), 42);
    assert.ok(!readFileSync(join(place, '..', kept)).equals(bytes), 'what V8 refused is written again');
  }
});

test("beside a program that others may write nothing is kept or taken: it is in the user's own folder", () => {
  const file = writeProgram();
  const folder = join(file, '..');
  chmodSync(folder, 0o777);
  const state = makeTempDir();
  withState(state, () => open(file, true));
  assert.equal(keptIn(folder), []);
  const own = join(state, 'git-flame', 'compiled');
  assert.is(keptIn(own).length, 1);
  assert.is(statSync(own).mode & 0o777, 0o700);
  const { ino } = statSync(join(own, keptIn(own)[0] ?? ''));
  withState(state, () => assert.is(open(file, true).sum(), 42));
  assert.is(statSync(join(own, keptIn(own)[0] ?? '')).ino, ino);
  // Nor in a folder of that name that others may write.
  const shared = join(makeTempDir(), 'state');
  mkdirSync(join(shared, 'git-flame', 'compiled'), { recursive: true });
  chmodSync(join(shared, 'git-flame', 'compiled'), 0o777);
  withState(shared, () => open(file, true));
  assert.equal(keptIn(join(shared, 'git-flame', 'compiled')), []);
});

function open(file: string, isKept = false): Program {
  const { exports, keepCompiled } = loadProgram(file);
  if (isKept) keepCompiled();
  return exports as Program;
}

function withState(folder: string, work: () => void): void {
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = folder;
  work();
  if (before === undefined) Reflect.deleteProperty(process.env, 'XDG_STATE_HOME');
  else process.env.XDG_STATE_HOME = before;
}

/** In a folder of its own. */
function writeProgram(value = 42): string {
  const file = join(makeTempDir(), 'program.cjs');
  const body = `const { sep } = require('node:path'); module.exports = { sum: () => ${value} * sep.length, url }`;
  writeFileSync(file, `(function (module, require, url) { ${body} })\n`);
  return file;
}

function keptIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.includes('.cache'));
}

test.run();
