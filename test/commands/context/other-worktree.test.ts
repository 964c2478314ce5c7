import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../../support/flame.ts';
import { makeRepo, makeTempDir } from '../../support/repo.ts';

test('CFG-1: from a linked worktree, commands name the configuration that counts, and one that does not', async () => {
  const repo = makeRepo();
  const cwd = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', '-b', 'feature', cwd);
  const config = join(repo.path, '.blueflame.yml');

  const first = await flame(repo, ['init'], { cwd });
  assert.match(first.stdout, `${config} `);
  assert.not.ok(existsSync(join(cwd, '.blueflame.yml')));

  writeFileSync(join(cwd, '.blueflame.yml'), readFileSync(config));
  assert.not.match((await flame(repo, ['config'], { cwd })).stderr, 'is not read');
  writeFileSync(join(cwd, '.blueflame.yml'), 'schema_version: 2\n');
  const warning = `${join(cwd, '.blueflame.yml')} is not read. All worktrees have the configuration ${config}`;
  for (const argv of [['config'], ['run', 'x', '--dry-run'], ['doctor']] as const) {
    const { stdout, stderr } = await flame(repo, argv, { cwd });
    assert.match(stdout + stderr, warning, argv.join(' '));
  }
});

test.run();
