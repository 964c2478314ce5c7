import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../../support/flame.ts';
import { makeRepo, makeTempDir, openRepo } from '../../support/repo.ts';

const commands = [['init'], ['init', '--dry-run'], ['run', 'x', '--dry-run'], ['doctor']] as const;

test('CFG-5: a work tree that leads to its repository by variables alone is refused by init, run and doctor alike', async () => {
  const place = openRepo(makeTempDir());
  place.git('clone', '-q', '--bare', makeRepo().path, '.dotfiles');
  mkdirSync(join(place.path, 'home'));
  const env = { GIT_DIR: join(place.path, '.dotfiles'), GIT_WORK_TREE: join(place.path, 'home') };
  for (const argv of commands) {
    const { code, stdout, stderr } = await flame(place, argv, { env });
    assert.is.not(code, 0, argv.join(' '));
    assert.match(stdout + stderr, /has no \.git that leads to .*\.dotfiles/, argv.join(' '));
    assert.match(stdout + stderr, /git clone .*\.dotfiles/, argv.join(' '));
  }
});

test('CFG-5: likewise by core.worktree, and in the work tree of another repository', async () => {
  const repo = makeRepo();
  const other = makeRepo();
  repo.git('config', 'core.worktree', other.path);
  const { code, stderr } = await flame(repo, ['init'], { cwd: join(repo.path, '.git') });
  assert.is.not(code, 0);
  assert.match(stderr, new RegExp(`The work tree ${other.path} has no \\.git that leads to ${repo.path}`));
});

test('CFG-5: variables that name what git finds anyhow change nothing', async () => {
  const repo = makeRepo();
  const env = { GIT_DIR: join(repo.path, '.git'), GIT_WORK_TREE: repo.path };
  assert.is((await flame(repo, ['init', '--dry-run'], { cwd: makeTempDir(), env })).code, 0);
});

test.run();
