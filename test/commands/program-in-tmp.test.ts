import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../support/flame.ts';
import { makeVictim, start } from '../support/kill-rig.ts';
import { makeRepo, makeTempDir } from '../support/repo.ts';

test('ADP-1 a claude that is a link to a program in the temporary folder is shown to cells, and says its version', async () => {
  const folder = makeTempDir('flame-linked');
  const [program, bin] = [join(folder, 'versions', 'claude-real'), join(folder, 'bin')];
  for (const name of ['versions', 'bin']) mkdirSync(join(folder, name));
  writeFileSync(program, '#!/bin/sh\necho "2.0.0 (Claude Code)"\n');
  chmodSync(program, 0o755);
  symlinkSync(program, join(bin, 'claude'));
  const repo = makeRepo();
  const env = { PATH: `${bin}${delimiter}${repo.env.PATH}`, ANTHROPIC_API_KEY: 'made-up' };
  const run = await flame(repo, ['run', 'Go'], { env });
  // It was read: too old is known of it.
  assert.match(run.stderr, /needs version 2\.\d+\.?\d* or newer, but found version 2\.0\.0/);
});

test('ANY-4 a TMPDIR that is not there, as after su or in a container, is not used', () => {
  const run = start(makeVictim(), undefined, { TMPDIR: '/nowhere/at/all' });
  assert.is(run.code, 0, run.stderr);
});

test.run();
