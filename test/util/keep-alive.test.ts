import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeRepo } from '../support/repo.ts';

const program = join(dirname(fileURLToPath(import.meta.url)), 'no-descriptors.js');

test('where no descriptor is left for the pipes of a program it is said, and all goes on once there is', () => {
  const repo = makeRepo();
  const script = 'ulimit -n 100 && exec "$0" "$@"';
  const argv = [process.execPath, program, join(repo.path, '.git'), repo.git('rev-parse', 'HEAD')];
  const said = execFileSync('/bin/sh', ['-c', script, ...argv], { env: repo.env, encoding: 'utf8' });
  assert.equal(said.trim().split('\n'), [
    'too-many-files too-many-files 0 too many files are open',
    'commit 0 0 started',
    '0 left',
  ]);
});

test.run();
