import { appendFileSync, chownSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { discoverRepository } from '../../../lib/git/process/discover-repository.ts';
import { findPlainly, readFormat } from '../../../lib/git/process/find-plainly.ts';
import { makeRepo, makeTempDir } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';

/** What is no ceiling of anything has git asked. */
const asksGit = { GIT_CEILING_DIRECTORIES: '/nonexistent' };
const plainConfig = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n';

test('what is plain to see is what git says, at the top, below it and through a link', async () => {
  const { path, env, write } = makeRepo();
  write('src/deep/a.txt', 'a\n');
  const link = join(makeTempDir(), 'link');
  symlinkSync(path, link);
  for (const cwd of [path, join(path, 'src'), join(path, 'src', 'deep'), join(link, 'src')]) {
    assert.ok(findPlainly({ cwd, env }) !== null, cwd);
    const asked = await discoverRepository({ cwd, env: { ...env, ...asksGit } });
    assert.equal(await discoverRepository({ cwd, env }), asked);
  }
});

test('a repository of another format of objects is plain too', async () => {
  const { path, env, git } = makeRepo();
  git('init', '-q', '--object-format=sha256', join(path, 'other'));
  const cwd = join(path, 'other');
  assert.is(findPlainly({ cwd, env })?.objectFormat, 'sha256');
  const asked = await discoverRepository({ cwd, env: { ...env, ...asksGit } });
  assert.equal(await discoverRepository({ cwd, env }), asked);
});

test('git is asked inside of a git folder, in a bare repository, in a linked worktree and beyond all of them', () => {
  const { path, env, git } = makeRepo();
  const [linked, bare] = [join(path, 'linked'), join(path, 'bare.git')];
  git('worktree', 'add', '-q', linked);
  git('clone', '-q', '--bare', path, bare);
  for (const cwd of [join(path, '.git'), join(path, '.git', 'refs'), linked, bare, join(bare, 'refs')])
    assert.is(findPlainly({ cwd, env }), null, cwd);
  assert.is(findPlainly({ cwd: makeTempDir(), env }), null);
});

test('git is asked where variables name a repository, or bound where one is looked for', () => {
  const { path: cwd, env } = makeRepo();
  const variables = {
    ...{ GIT_DIR: join(cwd, '.git'), GIT_WORK_TREE: cwd, GIT_COMMON_DIR: join(cwd, '.git') },
    ...{ ...asksGit, GIT_DISCOVERY_ACROSS_FILESYSTEM: '1', GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' },
  };
  for (const [name, value] of Object.entries(variables)) {
    assert.is(findPlainly({ cwd, env: { ...env, [name]: value } }), null, name);
    assert.is(findPlainly({ cwd, env, variables: { [name]: value } }), null, name);
  }
});

test('git is asked where its folder is not as it makes it', () => {
  const head = 'ref: refs/heads/main\n';
  for (const text of ['', 'ref: refs/heads/main', 'ref: main\n', 'garbage\n', '0'.repeat(39)]) {
    const { path: cwd, env } = makeRepo();
    writeFileSync(join(cwd, '.git/HEAD'), head);
    assert.ok(findPlainly({ cwd, env }) !== null);
    writeFileSync(join(cwd, '.git/HEAD'), text);
    assert.is(findPlainly({ cwd, env }), null, JSON.stringify(text));
  }
  const { path: cwd, env } = makeRepo();
  writeFileSync(join(cwd, '.git/commondir'), '../elsewhere\n');
  assert.is(findPlainly({ cwd, env }), null);
});

testIf(
  test,
  process.getuid?.() === 0,
  'dubious ownership: only root can give a folder away',
)('git is asked where a folder is of another user', () => {
  for (const name of ['.', '.git']) {
    const { path: cwd, env } = makeRepo();
    chownSync(join(cwd, name), 12_345, 12_345);
    assert.is(findPlainly({ cwd, env }), null, name);
  }
});

test('settings are understood as git writes them, and left to it where they are otherwise', () => {
  const later = plainConfig.replace('version = 0', 'version = 1');
  assert.is(readFormat(plainConfig), 'sha1');
  assert.is(readFormat(`${plainConfig}[remote "o\u00fcr in"]\n\turl = x\n# \\\n[color]\n\tui\n`), 'sha1');
  assert.is(readFormat(later), 'sha1');
  assert.is(readFormat(`${later}[extensions]\n\tobjectformat = sha256\n`), 'sha256');
  for (const text of [
    '',
    plainConfig.replace('false', 'true'),
    plainConfig.replace('false', '"false"'),
    plainConfig.replace('false', 'false ; so far'),
    plainConfig.replace('version = 0', 'version = 2'),
    `${plainConfig}\tworktree = /elsewhere\n`,
    `${plainConfig}[core] bare = true\n`,
    `${plainConfig}[broken\n`,
    `${plainConfig}[alias]\n\tx = a \\\n\tb\n`,
    `${plainConfig}[extensions]\n\tobjectformat = sha256\n`,
    `${later}[extensions]\n\tobjectformat = sha512\n`,
    ...['worktreeConfig', 'refStorage', 'partialClone', 'other'].map(
      (name) => `${later}[Extensions]\n\t${name} = true\n`,
    ),
  ])
    assert.is(readFormat(text), null, text);
});

test('what a repository includes says nothing of where it is', async () => {
  const { path: cwd, env } = makeRepo();
  const before = readFileSync(join(cwd, '.git/config'), 'utf8');
  writeFileSync(join(cwd, '.git/more'), '[core]\n\tbare = true\n\tworktree = /elsewhere\n');
  appendFileSync(join(cwd, '.git/config'), '[include]\n\tpath = more\n');
  const asked = await discoverRepository({ cwd, env: { ...env, ...asksGit } });
  assert.equal(await discoverRepository({ cwd, env }), asked);
  writeFileSync(join(cwd, '.git/config'), before);
});

test.run();
