import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openGit } from '../../../lib/git/open-git.ts';
import { makeTempDir } from '../../support/repo.ts';
import { openFixture } from '../cell-fixture.ts';

test('dirty paths: everything but ignored files, odd names whole', async () => {
  const { repo, port } = await openFixture();
  assert.equal(await port.dirtyPaths(repo.path), []);
  repo.write('.gitignore', 'ignored\n');
  repo.write('ignored', 'x\n');
  repo.write('new\nline ü "q" -> x', 'x\n');
  repo.write('deep/er/file', 'x\n');
  repo.git('mv', 'README.md', 'MOVED.md');
  rmSync(join(repo.path, 'src/a.txt'));
  assert.equal(await port.dirtyPaths(repo.path), [
    '.gitignore',
    'MOVED.md',
    'README.md',
    'deep/er/file',
    'new\nline ü "q" -> x',
    'src/a.txt',
  ]);
  assert.equal(await port.changedTracked(repo.path), ['MOVED.md', 'README.md', 'src/a.txt']);
});

test("dirty paths from a subfolder, with the person's editor, pager and monitor configured", async () => {
  const { repo } = await openFixture();
  const trap = join(makeTempDir(), 'ran');
  repo.git('config', 'core.fsmonitor', `sh -c 'touch ${trap}'`);
  repo.write('x', 'x\n');
  const set = {
    EDITOR: 'vi',
    GIT_EDITOR: 'vi',
    GIT_SEQUENCE_EDITOR: 'vi',
    PAGER: 'less',
    GIT_PAGER: 'less',
    GIT_ASKPASS: 'ask',
    SSH_ASKPASS: 'ask',
    GIT_SSH: 'ssh',
    GIT_SSH_COMMAND: 'ssh',
    GIT_PROXY_COMMAND: 'proxy',
    GIT_EXTERNAL_DIFF: 'x',
    GIT_TEMPLATE_DIR: '/x',
    GIT_EXEC_PATH: repo.git('--exec-path'),
  };
  const port = await openGit({ cwd: join(repo.path, 'src'), env: { ...repo.env, ...set } });
  assert.equal(await port.dirtyPaths(repo.path), ['x']);
  assert.is(existsSync(trap), false);
});

test.run();
