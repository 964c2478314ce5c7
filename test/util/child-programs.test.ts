import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { programPath } from '../../lib/util/child-programs.ts';
import { makeTempDir } from '../support/repo.ts';

test('the first executable file of the name wins; folders, plain files and relative folders are passed over', () => {
  const [folder, first, second] = foldersOf('flame-a');
  mkdirSync(join(folder, 'flame-a'));
  writeFileSync(join(first, 'flame-a'), '');
  const path = `${folder}:.:${first}:${second}:/none`;
  assert.is(programPath('flame-a', path), join(second, 'flame-a'));
});

test('a program that has gone is looked up again', () => {
  const [first, , second] = foldersOf('flame-b');
  writeProgram(join(first, 'flame-b'));
  const path = `${first}:${second}`;
  assert.is(programPath('flame-b', path), join(first, 'flame-b'));
  rmSync(join(first, 'flame-b'));
  assert.is(programPath('flame-b', path), join(second, 'flame-b'));
});

test('what is nowhere keeps its name', () => {
  assert.is(programPath('flame-nowhere', '/usr/bin:/bin'), 'flame-nowhere');
  assert.is(programPath('flame-nowhere', undefined), 'flame-nowhere');
});

/** Three folders; the last holds the program. */
function foldersOf(name: string): readonly [string, string, string] {
  const last = makeTempDir();
  writeProgram(join(last, name));
  return [makeTempDir(), makeTempDir(), last];
}

function writeProgram(path: string): void {
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
}

test.run();
