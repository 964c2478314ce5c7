import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFolders } from '../../lib/util/find-folders.ts';
import { makeTempDir } from '../support/repo.ts';

test('folders are found or gone, whatever their names hold', async () => {
  const folder = makeTempDir();
  const odd = makeTempDir("odd ' $(touch x)\n-name");
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const found = await findFolders([folder, odd, file, join(folder, 'none')], { patienceMs: 60_000 });
  assert.equal([...found.values()], ['there', 'there', 'gone', 'gone']);
  assert.is((await findFolders([], { patienceMs: 60_000 })).size, 0);
});

test('a disk that hangs holds nothing up: what answered is known, the rest is late', async () => {
  const folder = makeTempDir();
  const shell = join(folder, 'shell');
  // As where the second folder is on such a disk.
  writeFileSync(shell, '#!/bin/sh\necho "0 there"\nexec tail -f /dev/null\n', { mode: 0o755 });
  const found = await findFolders(['/', '/hangs'], { patienceMs: 500, shell });
  assert.equal(
    [...found],
    [
      ['/', 'there'],
      ['/hangs', 'late'],
    ],
  );
});

test.run();
