import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { makeTempDir, openRepo, type TestRepo } from '../support/repo.ts';
import { codeOf, openFixture } from './cell-fixture.ts';

/** main checked out at `from`, its ref already at `to`: as after a landing. */
async function makeLanded() {
  const fixture = await openFixture();
  const { repo, head: from } = fixture;
  repo.git('checkout', '-q', '-b', 'work');
  repo.write('src/a.txt', 'landed\n');
  repo.write('new/file.txt', 'new\n');
  repo.git('rm', '-q', 'README.md');
  const to = parseObjectId(repo.commit('landed'));
  repo.git('checkout', '-q', 'main');
  repo.git('update-ref', 'refs/heads/main', to, from);
  return { ...fixture, from, to };
}

/** Every file of a folder with its content. */
function readAll(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => !path.startsWith('.git') && statSync(join(folder, path)).isFile())
    .map((path) => `${path}: ${readFileSync(join(folder, path), 'utf8')}`)
    .sort();
}

test('MRG-5 a clean checkout is brought along, and only once', async () => {
  const { repo, port, from, to } = await makeLanded();
  assert.is(await port.advanceWorktree(repo.path, from, to), 'advanced');
  assert.is(repo.git('status', '--porcelain'), '');
  assert.is(readFileSync(join(repo.path, 'new/file.txt'), 'utf8'), 'new\n');
  assert.is(existsSync(join(repo.path, 'README.md')), false);
  assert.is(await port.advanceWorktree(repo.path, from, to), 'already');
});

test('files that were only touched, and untracked ones elsewhere, are no obstacle', async () => {
  const { repo, port, from, to } = await makeLanded();
  utimesSync(join(repo.path, 'src/a.txt'), 1, 1);
  repo.write('notes.txt', 'mine\n');
  assert.is(await port.advanceWorktree(repo.path, from, to), 'advanced');
  assert.is(repo.git('status', '--porcelain'), '?? notes.txt');
});

const obstacles: Readonly<Record<string, (repo: TestRepo) => void>> = {
  'a changed file': (repo) => repo.write('src/a.txt', 'mine\n'),
  'a deleted file': (repo) => rmSync(join(repo.path, 'README.md')),
  'a staged file': (repo) => {
    repo.write('staged.txt', 'mine\n');
    repo.git('add', 'staged.txt');
  },
  'an untracked file in the way': (repo) => repo.write('new/file.txt', 'mine\n'),
  'an ignored file in the way': (repo) => {
    writeFileSync(join(repo.path, '.git/info/exclude'), 'new\n');
    repo.write('new/file.txt', 'mine\n');
  },
  'a file where a folder must go': (repo) => repo.write('new', 'mine\n'),
  'an ignored file where a folder must go': (repo) => {
    writeFileSync(join(repo.path, '.git/info/exclude'), 'new\n');
    repo.write('new', 'mine\n');
  },
};
for (const [what, put] of Object.entries(obstacles)) {
  test(`MRG-5 ${what} of the person's is refused and stays`, async () => {
    const { repo, port, from, to } = await makeLanded();
    put(repo);
    const [files, status] = [readAll(repo.path), repo.git('status', '--porcelain')];
    assert.is(await port.advanceWorktree(repo.path, from, to), 'refused');
    assert.is(repo.git('status', '--porcelain'), status);
    assert.equal(readAll(repo.path), files);
  });
}

test('a file that becomes a folder and a folder that becomes a file; what is ignored in it stays', async () => {
  for (const hasIgnored of [false, true]) {
    const { repo, port, head: from } = await openFixture();
    repo.git('checkout', '-q', '-b', 'work');
    repo.git('rm', '-q', 'README.md', 'src/a.txt');
    repo.write('README.md/now', 'x\n');
    repo.write('src', 'x\n');
    const to = parseObjectId(repo.commit('swap'));
    repo.git('checkout', '-q', 'main');
    repo.git('update-ref', 'refs/heads/main', to, from);
    writeFileSync(join(repo.path, '.git/info/exclude'), '*.log\n');
    if (hasIgnored) repo.write('src/mine.log', 'mine\n');
    assert.is(await port.advanceWorktree(repo.path, from, to), hasIgnored ? 'refused' : 'advanced');
    if (hasIgnored) assert.is(readFileSync(join(repo.path, 'src/mine.log'), 'utf8'), 'mine\n');
    else assert.is(repo.git('status', '--porcelain'), '');
  }
});

test('a linked worktree is brought along too', async () => {
  const { repo, port, from, to } = await makeLanded();
  repo.git('checkout', '-q', '-f', '--detach');
  repo.git('update-ref', 'refs/heads/main', from);
  const path = join(makeTempDir(), 'linked ü');
  repo.git('worktree', 'add', '-q', path, 'main');
  repo.git('update-ref', 'refs/heads/main', to);
  assert.is(await port.advanceWorktree(path, from, to), 'advanced');
  assert.is(openRepo(path).git('status', '--porcelain'), '');
});

test('head: on a branch, detached, unborn', async () => {
  const { repo, port, head } = await openFixture();
  repo.git('checkout', '-q', '-b', 'topic/ü');
  assert.equal(await port.head(repo.path), { branch: 'topic/ü', commit: head });
  repo.git('checkout', '-q', '--detach');
  assert.equal(await port.head(repo.path), { branch: null, commit: head });
  repo.git('checkout', '-q', '--orphan', 'fresh');
  assert.equal(await port.head(repo.path), { branch: 'fresh', commit: null });
});

test('revisions: names, nonsense, what looks like an option, what is no commit', async () => {
  const { port, head } = await openFixture();
  assert.is(await port.resolveCommit('main'), head);
  assert.is(await port.resolveCommit(head.slice(0, 10)), head);
  for (const bad of ['nowhere', '--all', 'HEAD:README.md', 'main..main', '', 'a b', '1'.repeat(40)]) {
    assert.is(await port.resolveCommit(bad), null, bad);
  }
});

test("identity: the person's, or an error that says how to set it", async () => {
  const { repo, port } = await openFixture();
  assert.is(await port.identity(), 'Lea Lead <lea@example.com>');
  const { GIT_AUTHOR_NAME: _name, GIT_AUTHOR_EMAIL: _email, ...env } = repo.env;
  repo.git('config', 'user.useConfigOnly', 'true');
  const anonymous = await openGit({ cwd: repo.path, env });
  assert.is(await codeOf(anonymous.identity()), 'no-identity');
  repo.git('config', 'user.name', 'Ö Ä');
  repo.git('config', 'user.email', 'oe@x');
  assert.is(await anonymous.identity(), 'Ö Ä <oe@x>');
});

test('cells are found again by another process', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  const later = await openGit({ cwd: join(repo.path, 'src'), env: repo.env });
  assert.equal(await later.cells(), [{ ...cell, owner: 'own', subject: null, ended: null }]);
  await later.discardCell(cell);
  assert.equal(await later.cells(), []);
  await later.close();
});

test.run();
