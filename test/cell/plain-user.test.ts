import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../support/skip.ts';

// Ids, ownership, capabilities and control groups differ: what holds for root is proven again for somebody else.
const here = dirname(fileURLToPath(import.meta.url));
const user = ['--reuid=65534', '--regid=65534', '--clear-groups', '--'];
const files = ['cell-files', 'limits/limits', 'hostile-files', 'hostile-git', 'hostile-processes', 'hostile-reach'];
const canRun =
  asUser('test', '-r', join(here, 'cell-files.test.js')).status === 0 &&
  asUser(process.execPath, '-e', '').status === 0;

for (const file of files) {
  testIf(
    test,
    hasBubblewrap() && canRun,
    'no other user can be taken on, or it cannot read the tests',
  )(`SBX-2: ${file} holds for a plain user`, () => {
    const run = asUser(process.execPath, join(here, `${file}.test.js`));
    const output = `${run.stdout}${run.stderr}`;
    assert.is(run.status, 0, output);
    assert.match(output, /Passed: +[1-9]/);
    assert.match(output, /Skipped: +0/);
  });
}

function asUser(...command: string[]): ReturnType<typeof spawnSync> {
  return spawnSync('setpriv', [...user, ...command], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, FORCE_COLOR: '0', TMPDIR: '/tmp', FLAME_TEST_MANY_FILES: '2000' },
  });
}

test.run();
