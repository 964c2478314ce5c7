import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../../support/program.ts';
import { makeTempDir, openRepo } from '../../support/repo.ts';

test('ANY-1 the demo shows its whole cycle where a sandbox is refused, says so, and what brings one', async () => {
  const folder = makeTempDir('demo');
  const refusing = join(folder, 'bwrap');
  writeFileSync(refusing, '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n');
  chmodSync(refusing, 0o755);
  const here = openRepo(folder);
  const PATH = `${folder}:${here.env.PATH ?? ''}`;
  const demo = await runProgram(here, ['demo', '--dir', join(folder, 'kept')], { env: { PATH } });
  assert.is(demo.code, 0, demo.stderr);
  assert.match(demo.stderr, /^warning: .*sandbox.* run without one; your agents would not\.$/m);
  assert.match(demo.stderr, /bwrap: setting up uid map: Permission denied/);
  assert.match(demo.stderr, /^next: /m);
  const isSaid = 'Agents can write every file the person can write';
  assert.is(demo.stderr.split(isSaid).length, 2, 'what that leaves open is said once');
  const repo = openRepo(join(folder, 'kept', 'greeter'));
  assert.match(repo.git('show', 'main:README.md'), /^Languages: en fr/m);
  assert.is(existsSync(join(repo.path, 'words/fr.txt')), true);
});

test('ANY-1 the demo needs no home of the person', async () => {
  const here = openRepo(makeTempDir('demo'));
  const { XDG_STATE_HOME: _, ...env } = here.env;
  const file = join(here.path, 'file');
  writeFileSync(file, '');
  const demo = await runProgram({ ...here, env }, ['demo'], { env: { HOME: join(file, 'no-home') } });
  assert.is(demo.code, 0, demo.stderr);
});

test.run();
