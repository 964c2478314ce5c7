import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolders } from '../../lib/util/write-files.ts';
import { makeTempDir } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';

test('folders that are missing are made, those that are there stay', () => {
  const path = join(makeTempDir(), 'a', 'b', 'c');
  makeFolders(path);
  makeFolders(path);
  assert.ok(existsSync(path));
});

test('a file in the way is told', () => {
  const folder = makeTempDir();
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => makeFolders(join(folder, 'file', 'below')), /ENOTDIR/);
});

testIf(
  test,
  existsSync('/proc/self'),
  'there is no /proc: no folder that cannot be made',
)('a system that refuses a folder is an error, not an endless wait', () => {
  assert.throws(() => makeFolders('/proc/nowhere/below'), /ENOENT|EACCES|EPERM|EROFS/);
});

test.run();
