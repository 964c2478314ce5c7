import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import { makeRepo, openRepo, type TestRepo } from '../../support/repo.ts';
import { agentGit } from '../cell-fixture.ts';

const author = 'Agent <agent@blueflame.invalid>';

type Change = (path: (name: string) => string) => void;

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** What becomes of a work tree, committed for its agent, and by git itself. */
async function committed(repo: TestRepo, change: Change): Promise<{ ours: string; gits: string; repo: TestRepo }> {
  const git = await openGit({ cwd: repo.path, env: repo.env });
  const base = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const path = join(repo.path, '.git', 'cell-work');
  const cell = await git.addCellWorktree(path, base);
  change((name) => join(path, name));
  const paths = (await git.cellLeftovers(cell)).map((leftover) => leftover.path);
  const tip = await git.commitLeftovers(cell, paths, { message: 'work', author });
  assert.equal(await git.cellLeftovers(cell), [], 'its index is that of the commit');
  assert.is(agentGit(cell, 'status', '--porcelain'), '', 'to the agent too');
  agentGit(cell, 'fsck', '--strict', '--no-dangling');
  await git.importCell(cell, tip);
  await git.discardCell(cell);
  await git.close();
  const beside = join(repo.path, '.git', 'beside');
  repo.git('worktree', 'add', '-q', '--detach', beside, base);
  change((name) => join(beside, name));
  const other = openRepo(beside, repo.env);
  other.git('add', '-A');
  const gits = other.git('write-tree');
  return { ours: repo.git('rev-parse', `${tip}^{tree}`), gits, repo };
}

const changes: Readonly<Record<string, Change>> = {
  'new files in new folders': (at) => {
    put(at('src/new.txt'), 'new\n');
    put(at('one/two/three.txt'), 'deep\n');
    put(at('one.two'), 'beside a folder\n');
    put(at('.hidden/..odd'), 'x');
  },
  'changed, gone and executable files': (at) => {
    put(at('src/a.txt'), 'changed\n');
    rmSync(at('README.md'));
    put(at('run.sh'), '#!/bin/sh\n');
    chmodSync(at('run.sh'), 0o755);
  },
  'a folder in the place of a file': (at) => {
    rmSync(at('README.md'));
    put(at('README.md/inside.txt'), 'x\n');
  },
  'a file in the place of a folder': (at) => {
    rmSync(at('src'), { recursive: true });
    put(at('src'), 'x\n');
  },
  'links, and names that mean something': (at) => {
    symlinkSync('a.txt', at('src/link'));
    put(at('.gitmodules2'), 'x\n');
    put(at('ü/é.txt'), 'x\n');
  },
  'a file that is as it was, in another folder': (at) => {
    put(at('lib/a.txt'), 'changed\n');
    put(at('lib/b.txt'), '');
  },
};

for (const objectFormat of ['sha1', 'sha256'] as const)
  for (const [title, change] of Object.entries(changes))
    test(`what is committed for an agent is what git makes of it: ${title}, in ${objectFormat}`, async () => {
      const { ours, gits } = await committed(makeRepo({ objectFormat }), change);
      assert.is(ours, gits);
    });

const crlf: Change = (at) => put(at('src/new.txt'), 'one\r\ntwo\r\n');

test('line ends are converted where settings or attributes say so', async () => {
  const settings: readonly ((repo: TestRepo) => void)[] = [
    (repo) => void repo.git('config', 'core.autocrlf', 'input'),
    (repo) => put(join(repo.path, '.git/info/attributes'), '*.txt text\n'),
    (repo) => {
      repo.write('src/.gitattributes', '*.txt text\n');
      repo.commit('attributes');
    },
  ];
  for (const set of settings) {
    const repo = makeRepo();
    set(repo);
    const { ours, gits } = await committed(repo, crlf);
    assert.is(ours, gits);
    assert.is(repo.git('cat-file', '-p', `${ours}:src/new.txt`), 'one\ntwo');
  }
});

test('attributes count that the agent wrote itself, and that are ignored', async () => {
  for (const isIgnored of [false, true]) {
    const repo = makeRepo();
    repo.write('.gitignore', isIgnored ? '.gitattributes\n' : '');
    repo.commit('ignored');
    const { ours, gits } = await committed(repo, (at) => {
      put(at('.gitattributes'), '*.txt text\n');
      crlf(at);
    });
    assert.is(ours, gits);
  }
});

test('worktrees made one after another from one commit are alike, whatever was written into the first', async () => {
  const repo = makeRepo();
  repo.write('bin/run.sh', '#!/bin/sh\n');
  chmodSync(join(repo.path, 'bin/run.sh'), 0o755);
  symlinkSync('a.txt', join(repo.path, 'src/link'));
  repo.write('ü/deep/er.txt', 'x\n');
  const base = parseObjectId(repo.commit('files'));
  const git = await openGit({ cwd: repo.path, env: repo.env });
  for (let at = 0; at < 4; at += 1) {
    const path = join(repo.path, '.git', `cell-${at}`);
    const cell = await git.addCellWorktree(path, base);
    const inside = openRepo(path, repo.env);
    assert.is(inside.git('status', '--porcelain'), '', `${at}`);
    assert.is(inside.git('ls-files', '-s'), repo.git('ls-files', '-s'));
    // Nothing needs to be read again.
    assert.is(inside.git('diff-files', '--name-only'), '');
    assert.equal(await git.cellLeftovers(cell), []);
    put(join(path, 'src/a.txt'), `by ${at}\n`);
    assert.equal(
      (await git.cellLeftovers(cell)).map((leftover) => leftover.path),
      ['src/a.txt'],
    );
  }
  await git.close();
});

test.run();
