import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseGitSettings, readGitSettings, readRepositorySettings } from '../../../lib/git/process/git-settings.ts';
import { makeRepo } from '../../support/repo.ts';

test('a key counts as git says: the last value, and true where it stands alone', async () => {
  const repo = makeRepo();
  repo.git('config', 'core.fsync', 'all');
  repo.git('config', '--add', 'core.fsync', 'none');
  repo.write('.git/more', '[alone]\n\tkey\n\tempty =\n[sub "Two Words.x"]\n\tmany = "a\\nb"\n');
  repo.git('config', 'include.path', 'more');
  const settings = await readGitSettings({ cwd: repo.path, env: repo.env });
  assert.is(settings.value('core.fsync'), 'none');
  assert.is(settings.value('alone.key'), 'true');
  assert.is(settings.value('alone.empty'), '');
  assert.is(settings.value('nothing.here'), null);
  assert.is(settings.value('sub.Two Words.x.many'), 'a\nb');
  assert.equal(settings.entries(/^alone\./, 'local'), [
    { scope: 'local', key: 'alone.key', value: null },
    { scope: 'local', key: 'alone.empty', value: '' },
  ]);
});

test('a boolean is what git takes for one', () => {
  const words = ['true', 'YES', 'on', '1', '-1', '007', '1k', '', 'false', 'no', 'off', '0', '00', 'maybe', '2x'];
  const repo = makeRepo();
  for (const word of words) {
    const args = ['-c', `a.b=${word}`, 'config', '--type=bool', '--get', 'a.b'];
    let said = '';
    try {
      said = execFileSync('git', args, { cwd: repo.path, env: repo.env, stdio: ['ignore', 'pipe', 'ignore'] })
        .toString()
        .trim();
    } catch {
      // No boolean at all.
    }
    assert.is(parseGitSettings(`local\0a.b\n${word}\0`).isTrue('a.b'), said === 'true', word);
  }
});

test('a work tree has settings of its own; what a file included holds counts as it is now', async () => {
  const repo = makeRepo();
  repo.git('config', 'extensions.worktreeConfig', 'true');
  repo.git('config', '--worktree', 'core.sparseCheckout', 'true');
  const commonDir = join(repo.path, '.git');
  assert.is((await readGitSettings({ cwd: repo.path, env: repo.env })).isTrue('core.sparsecheckout'), true);
  repo.write('.git/more', '[commit]\n\tgpgSign = false\n');
  repo.git('config', 'include.path', 'more');
  assert.is((await readRepositorySettings(repo.env, commonDir)).value('commit.gpgsign'), 'false');
  repo.write('.git/more', '[commit]\n\tgpgSign\n');
  assert.is((await readRepositorySettings(repo.env, commonDir)).value('commit.gpgsign'), 'true');
});

test.run();
