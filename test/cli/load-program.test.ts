import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  for (const bytes of [Buffer.alloc(0), good.subarray(0, good.length >> 1), damaged, Buffer.alloc(good.length)]) {
    // Elsewhere: a process does not look at what is kept of a file it has compiled itself.
    const place = writeProgram();
    writeFileSync(join(place, '..', kept), bytes);
    assert.is(open(place, true).sum(), 42);
    assert.ok(!readFileSync(join(place, '..', kept)).equals(bytes), 'what V8 refused is written again');
  }
});

test("beside a program that others may write nothing is kept or taken: it is in the user's own folder", () => {
  const [file, home] = [writeProgram(), makeTempDir()];
  chmodSync(join(file, '..'), 0o777);
  open(file, true, home);
  assert.equal(keptIn(join(file, '..')), []);
  const own = stateIn(home);
  assert.is(keptIn(own).length, 1);
  assert.is(statSync(own).mode & 0o777, 0o700);
  const kept = join(own, keptIn(own)[0] ?? '');
  const { ino, mode } = statSync(kept);
  assert.is(mode & 0o777, 0o600);
  assert.is(open(file, true, home).sum(), 42);
  assert.is(statSync(kept).ino, ino);
});

test('V8 takes code of another program: what is kept is never read where others can write', () => {
  assert.is(
    sumBeside(() => undefined),
    planted,
    'what is tried here is an attack',
  );
  for (const mode of [0o770, 0o707, 0o1777])
    assert.is(
      sumBeside(({ folder }) => chmodSync(folder, mode)),
      42,
    );
  assert.is(
    sumBeside(({ folder }) => chmodSync(join(folder, keptName), 0o660)),
    42,
  );
  // As in /tmp, where no other user can put anything in the place of a folder of this one.
  assert.is(
    sumBeside(({ above }) => chmodSync(above, 0o1777)),
    planted,
  );
});

test('each folder on the way counts: one above that others can write, or that is of another user', () => {
  for (const spoil of spoilings)
    assert.is(
      sumBeside(({ above }) => spoil(above)),
      42,
    );
});

test('below a home that others can change nothing is made or read', () => {
  for (const spoil of spoilings) {
    const above = join(makeTempDir(), 'above');
    const home = join(above, 'home');
    mkdirSync(home, { recursive: true, mode: 0o700 });
    spoil(above);
    open(writeShared(), true, home);
    assert.equal(readdirSync(home), []);
    plant(stateIn(home));
    assert.is(open(writeShared(), false, home).sum(), 42);
  }
});

test('a link counts by where it leads', () => {
  const [home, elsewhere] = [makeTempDir(), join(makeTempDir(), 'elsewhere')];
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(home, '.local'));
  plant(stateIn(home));
  assert.is(open(writeShared(), false, home).sum(), planted);
  chmodSync(elsewhere, 0o777);
  assert.is(open(writeShared(), false, home).sum(), 42);
  rmSync(join(elsewhere, 'state'), { recursive: true });
  open(writeShared(), true, home);
  assert.equal(readdirSync(elsewhere), []);
  const linked = sumBeside(({ folder }) => {
    renameSync(join(folder, keptName), join(elsewhere, keptName));
    symlinkSync(join(elsewhere, keptName), join(folder, keptName));
  });
  assert.is(linked, 42);
});

test('no variable names the folder: a repository may have set it', () => {
  const repository = makeTempDir();
  const names = ['HOME', 'TMPDIR', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'];
  const before = names.map((name) => [name, process.env[name]] as const);
  const files = [writeShared(), writeShared(), writeShared()] as const;
  for (const folder of ['git-flame/compiled', '.local/state/git-flame/compiled', '']) plant(join(repository, folder));
  const found = readdirSync(repository, { recursive: true });
  const home = makeTempDir();
  try {
    for (const name of names) process.env[name] = repository;
    assert.is(open(files[0]).sum(), 42);
    open(files[1], true, home);
    for (const name of names) Reflect.deleteProperty(process.env, name);
    assert.is(open(files[2]).sum(), 42);
  } finally {
    for (const [name, value] of before)
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
  }
  assert.equal(readdirSync(repository, { recursive: true }), found);
});

test('a user without a home has the program run all the same', () => {
  const here = process.cwd();
  const repository = makeTempDir();
  plant(stateIn(repository));
  process.chdir(repository);
  for (const home of ['', '.', '/nonexistent', '/dev/null']) assert.is(open(writeShared(), false, home).sum(), 42);
  process.chdir(here);
  const { exports, keepCompiled } = loadProgram(writeShared(), () => {
    throw new Error('no such user');
  });
  keepCompiled();
  assert.is((exports as Program).sum(), 42);
});

/** What makes a folder one that others than this user can change. */
const spoilings = [
  (folder: string) => chmodSync(folder, 0o775),
  (folder: string) => chmodSync(folder, 0o757),
  // Only root can give a folder away.
  ...(process.getuid?.() === 0 ? [(folder: string) => chownSync(folder, 12_345, 12_345)] : []),
];

const keptName = `program.cjs.${process.version}-${process.arch}.cache`;
const planted = 99;

/** Compiled code of another program that is as long. */
function attack(): Buffer {
  const file = writeProgram(planted);
  const { exports, keepCompiled } = loadProgram(file);
  (exports as Program).sum();
  keepCompiled();
  return readFileSync(join(file, '..', keptName));
}

function plant(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(join(folder, keptName), { force: true });
  writeFileSync(join(folder, keptName), attack(), { mode: 0o600 });
}

interface Places {
  readonly folder: string;
  readonly above: string;
}

/** What a program gives that has compiled code of another one beside it, in a folder made otherwise by `spoil`. */
function sumBeside(spoil: (places: Places) => void): number {
  const above = join(makeTempDir(), 'above');
  const folder = join(above, 'package');
  // A process does not look at what is kept of a file it has compiled itself.
  const file = writeProgram(42, folder);
  plant(folder);
  spoil({ folder, above });
  return open(file, false, makeTempDir()).sum();
}

/** A program in a folder that others may write. */
function writeShared(): string {
  const file = writeProgram();
  chmodSync(join(file, '..'), 0o777);
  return file;
}

function stateIn(home: string): string {
  return join(home, '.local', 'state', 'git-flame', 'compiled');
}

function open(file: string, isKept = false, home?: string): Program {
  const { exports, keepCompiled } = loadProgram(file, home === undefined ? undefined : () => home);
  if (isKept) keepCompiled();
  return exports as Program;
}

/** In a folder of its own. */
function writeProgram(value = 42, folder = makeTempDir()): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'program.cjs');
  const body = `const { sep } = require('node:path'); module.exports = { sum: () => ${value} * sep.length, url }`;
  writeFileSync(file, `(function (module, require, url) { ${body} })\n`);
  return file;
}

function keptIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.includes('.cache'));
}

test.run();
