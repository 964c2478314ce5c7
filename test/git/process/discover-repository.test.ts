import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { discoverRepository, parseWorktrees } from '../../../lib/git/process/discover-repository.ts';
import { makeRepo, makeTempDir, openRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { codeOf } from '../cell-fixture.ts';

for (const name of ['repo', 'with space', 'quo"te\'d', 'ü-ß', 'new\nline']) {
  test(`CFG-5 the same repository from the top, a subfolder and a linked worktree: ${JSON.stringify(name)}`, async () => {
    const { path, env, git } = makeRepo({ name });
    const common = join(path, '.git');
    const top = await discoverRepository({ cwd: path, env });
    assert.equal(top, {
      commonDir: common,
      gitDir: common,
      workTree: path,
      mainWorkTree: path,
      prefix: '',
      isBare: false,
      objectFormat: 'sha1',
      gitVersion: top.gitVersion,
    });
    assert.match(top.gitVersion, /^2\.\d+/);
    assert.equal(await discoverRepository({ cwd: join(path, 'src'), env }), { ...top, prefix: 'src/' });
    const linked = join(makeTempDir(), `linked ${name}`);
    git('worktree', 'add', '-q', '--detach', linked);
    const inLinked = await discoverRepository({ cwd: join(linked, 'src'), env });
    assert.equal(
      [inLinked.workTree, inLinked.mainWorkTree, inLinked.commonDir, inLinked.prefix],
      [linked, path, common, 'src/'],
    );
    assert.ok(inLinked.gitDir.startsWith(join(common, 'worktrees')));
    const inside = await discoverRepository({ cwd: common, env });
    assert.equal([inside.workTree, inside.mainWorkTree, inside.isBare], [null, path, false]);
  });
}

test('a bare repository, a linked worktree of one, and sha256', async () => {
  const { path, env, git } = makeRepo({ objectFormat: 'sha256' });
  const bare = join(makeTempDir(), 'bare.git');
  git('clone', '-q', '--bare', path, bare);
  const found = await discoverRepository({ cwd: bare, env });
  assert.equal(
    [found.commonDir, found.workTree, found.mainWorkTree, found.isBare, found.objectFormat],
    [bare, null, null, true, 'sha256'],
  );
  const linked = join(makeTempDir(), 'linked');
  openRepo(bare).git('worktree', 'add', '-q', linked, 'main');
  const inLinked = await discoverRepository({ cwd: linked, env });
  assert.equal([inLinked.workTree, inLinked.mainWorkTree, inLinked.isBare], [linked, linked, false]);
});

test('git --git-dir and --work-tree are obeyed, and GIT_DIR as a hook sets it', async () => {
  const [one, two] = [makeRepo(), makeRepo({ name: 'two' })];
  const env = { ...one.env, GIT_DIR: join(two.path, '.git'), GIT_WORK_TREE: two.path };
  const found = await discoverRepository({ cwd: one.path, env });
  assert.equal([found.commonDir, found.workTree], [join(two.path, '.git'), two.path]);
  const hookEnv = { ...two.env, GIT_DIR: '.git', GIT_INDEX_FILE: '.git/index' };
  const inHook = await discoverRepository({ cwd: two.path, env: hookEnv });
  assert.is(inHook.commonDir, join(two.path, '.git'));
});

test('no repository, no folder, no git, an old git: each has its own error', async () => {
  const { path, env } = makeRepo();
  const empty = makeTempDir();
  const alone = { ...env, GIT_CEILING_DIRECTORIES: empty };
  assert.is(await codeOf(discoverRepository({ cwd: empty, env: alone })), 'not-a-repository');
  assert.is(await codeOf(discoverRepository({ cwd: join(empty, 'gone'), env })), 'no-such-folder');
  assert.is(await codeOf(discoverRepository({ cwd: path, env: { ...env, PATH: empty } })), 'git-missing');
  const bin = join(makeTempDir(), 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.30.2\n');
  chmodSync(join(bin, 'git'), 0o755);
  const withOld = { cwd: path, env: { ...env, PATH: `${bin}:${env.PATH}` } };
  assert.is(await codeOf(discoverRepository(withOld)), 'git-too-old');
  const message = await discoverRepository(withOld).catch((error: Error) => error.message);
  assert.match(`${message}`, /2\.30\.2.*2\.38/);
});

testIf(
  test,
  process.getuid?.() === 0,
  'dubious ownership: only root can give a folder away',
)("a repository of another user is refused in git's own words", async () => {
  const { path, env } = makeRepo();
  for (const folder of [path, join(path, '.git')]) chownSync(folder, 12_345, 12_345);
  assert.is(await codeOf(discoverRepository({ cwd: path, env })), 'dubious-ownership');
  const hints = await discoverRepository({ cwd: path, env }).catch(
    (error: { hints?: readonly string[] }) => error.hints,
  );
  assert.ok(Array.isArray(hints) && hints[0]?.startsWith('git config --global --add safe.directory'));
});

test('a work tree reached through a link is named by its real path', async () => {
  const { path, env } = makeRepo();
  const link = join(makeTempDir(), 'link');
  symlinkSync(path, link);
  const found = await discoverRepository({ cwd: link, env });
  assert.is(found.workTree, realpathSync(path));
});

test('worktree lists are parsed with bare and unborn ones', () => {
  const none = '0'.repeat(40);
  const text = `worktree /a\nb\0bare\0\0worktree /c\0HEAD ${none}\0branch refs/heads/x/y\0\0`;
  assert.equal(parseWorktrees(text), [
    { path: '/a\nb', head: null, branch: null, isBare: true },
    { path: '/c', head: null, branch: 'x/y', isBare: false },
  ]);
});

test.run();
