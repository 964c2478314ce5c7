import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPlainFile, readPlainText } from '../../lib/util/read-file.ts';
import { makeTempDir } from '../support/repo.ts';

test('a plain file is read as far as the bound goes', () => {
  const file = join(makeTempDir(), 'file');
  writeFileSync(file, 'conversation');
  assert.equal(readPlainFile(file, { most: 5 }), { text: 'conve', size: 12 });
  assert.is(readPlainText(file, { most: 100 }), 'conversation');
});

test('links, pipes, devices and folders are read as nothing, and so is what lies behind a folder that is a link', () => {
  const [home, outside] = [makeTempDir(), makeTempDir()];
  const most = 100;
  const read = (path: string): string => readPlainText(path, { root: home, most });
  mkdirSync(join(home, 'projects'));
  writeFileSync(join(home, 'projects/talk'), 'said');
  writeFileSync(join(outside, 'talk'), 'secret');
  assert.is(read('projects/talk'), 'said');
  symlinkSync(join(outside, 'talk'), join(home, 'link'));
  symlinkSync('/dev/zero', join(home, 'endless'));
  spawnSync('mkfifo', [join(home, 'pipe')]);
  for (const path of ['link', 'endless', 'pipe', 'projects', 'none', '../x']) assert.is(read(path), '', path);
  for (const path of ['/dev/zero', join(home, 'pipe')]) assert.is(readPlainFile(path, { most }), null, path);
  renameSync(join(home, 'projects'), join(home, 'before'));
  symlinkSync(outside, join(home, 'projects'));
  assert.is(read('projects/talk'), '');
});

test.run();
