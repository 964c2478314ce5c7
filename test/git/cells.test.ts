import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { parseObjectId } from '../../lib/domain/ids.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { shellQuote } from '../../lib/util/shell-quote.ts';
import { makeTempDir, openRepo } from '../support/repo.ts';
import { agentCommits, agentGit, agentWrites, codeOf, findDamage, openFixture } from './cell-fixture.ts';

for (const objectFormat of ['sha1', 'sha256'] as const) {
  for (const name of ['repo', 'with space', 'quo"te\'d', 'ü-ß', 'new\nline', 'co:lon', '"start', '#hash']) {
    test(`an accepted cell's commits are in the repository: ${objectFormat}, ${JSON.stringify(name)}`, async () => {
      const { repo, port, head, tree } = await openFixture({ name, objectFormat });
      const cell = await port.addCellWorktree(tree('worker-1'), head);
      assert.is(readFileSync(join(cell.path, 'src/a.txt'), 'utf8'), 'a\n');
      agentWrites(cell, 'src/deep/er/b.txt', 'b\n');
      agentWrites(cell, 'src/a.txt', 'changed\n');
      agentCommits(cell, 'one');
      rmSync(join(cell.path, 'README.md'));
      const tip = agentCommits(cell, 'two');

      assert.is(await port.cellHead(cell), tip);
      assert.is(repo.git('cat-file', '--batch-check', '--batch-all-objects').includes(tip), false);
      assert.is(findDamage(repo), '');
      const commits = await port.commitsBetween(head, tip, cell.quarantine);
      assert.equal(
        commits.map((commit) => commit.message),
        ['one\n', 'two\n'],
      );
      const files = await port.changedFiles(head, tip, cell.quarantine);
      assert.equal(
        files.map(({ path, status, size }) => [path, status, size]),
        [
          ['README.md', 'deleted', 0],
          ['src/a.txt', 'modified', 8],
          ['src/deep/er/b.txt', 'added', 2],
        ],
      );

      await port.acceptCell(cell, tip);
      repo.git('update-ref', 'refs/heads/done', tip);
      assert.is(repo.git('log', '--format=%s', 'main..done'), 'two\none');
      assert.is(existsSync(cell.path), false);
      assert.equal(readdirSync(join(repo.path, '.git/blueflame/objects')), []);
      assert.equal(readdirSync(join(repo.path, '.git/blueflame/cells')), []);
      assert.is(findDamage(repo), '');
      assert.is(repo.git('status', '--porcelain'), '');
    });
  }
}

test('a discarded cell leaves no object and no worktree behind', async () => {
  const { repo, port, head, tree } = await openFixture();
  const before = repo.git('cat-file', '--batch-check', '--batch-all-objects');
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'secret.txt', 'bad\n');
  agentCommits(cell, 'bad');
  await port.discardCell(cell);
  await port.discardCell(cell);
  assert.is(repo.git('cat-file', '--batch-check', '--batch-all-objects'), before);
  assert.equal((await port.worktrees()).length, 1);
  assert.is(findDamage(repo), '');
});

test('the folder of worktrees goes with the last of them, and no folder of the person does', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cells = await Promise.all(['worker-1', 'worker-2'].map((id) => port.addCellWorktree(tree(id), head)));
  const own = await port.addCellWorktree(join(repo.path, 'own', 'worker-3'), head);
  for (const [at, cell] of cells.entries()) {
    assert.ok(existsSync(join(repo.path, '.trees')), String(at));
    await port.discardCell(cell);
  }
  await port.discardCell(own);
  assert.not.ok(existsSync(join(repo.path, '.trees')));
  assert.ok(existsSync(join(repo.path, 'own')));
});

test('SBX-2 what an agent writes lies behind folders that no other user of the machine can enter', async () => {
  const usual = process.umask(0);
  try {
    const { port, head, tree } = await openFixture();
    const { path, quarantine } = await port.addCellWorktree(tree('worker-1'), head);
    const folders = [path, quarantine.objectDir, dirname(quarantine.objectDir), dirname(path)];
    for (const folder of folders) assert.is(statSync(folder).mode & 0o777, 0o700, folder);
    await port.close();
  } finally {
    process.umask(usual);
  }
});

test("UNI-5 what the person commits while a cell has the same object doesn't depend on the cell", async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'src/a.txt', 'the same fix\n');
  agentCommits(cell, 'fix');
  repo.write('src/a.txt', 'the same fix\n');
  repo.commit('taken over by hand');
  await port.discardCell(cell);
  assert.is(repo.git('show', 'HEAD:src/a.txt'), 'the same fix');
  assert.is(findDamage(repo), '');
});

test("two cells with the same object don't depend on each other", async () => {
  const { repo, port, head, tree } = await openFixture();
  const [one, two] = await Promise.all(['worker-1', 'worker-2'].map((id) => port.addCellWorktree(tree(id), head)));
  if (one === undefined || two === undefined) throw new Error('no cells');
  for (const cell of [one, two]) {
    agentWrites(cell, 'LICENSE', 'same\n');
    agentCommits(cell, `from ${cell.path}`);
  }
  await port.discardCell(one);
  const tip = await port.cellHead(two);
  await port.acceptCell(two, tip);
  repo.git('update-ref', 'refs/heads/two', tip);
  assert.is(repo.git('show', 'two:LICENSE'), 'same');
  assert.is(findDamage(repo), '');
});

test('WRK-1 sixteen worktrees at once, none lost', async () => {
  const { repo, port, head, tree } = await openFixture();
  const other = await openGit({ cwd: repo.path, env: repo.env });
  const ids = Array.from({ length: 16 }, (_, index) => `worker-${index}`);
  const cells = await Promise.all(ids.map((id, index) => (index % 2 ? other : port).addCellWorktree(tree(id), head)));
  assert.is((await port.worktrees()).length, 17);
  assert.is((await port.cells()).length, 16);
  await Promise.all(cells.map((cell) => port.discardCell(cell)));
  assert.is((await port.worktrees()).length, 1);
});

test('a taken name or folder is refused and left as it is', async () => {
  const { port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  assert.is(await codeOf(port.addCellWorktree(tree('worker-1'), head)), 'cell-exists');
  assert.is(existsSync(join(cell.path, 'README.md')), true);
  mkdirSync(tree('worker-2'));
  writeFileSync(join(tree('worker-2'), 'mine.txt'), 'mine');
  const refusal = await port.addCellWorktree(tree('worker-2'), head).catch((error: unknown) => error);
  assert.instance(refusal, FlameError);
  assert.equal(
    [(refusal as FlameError).code, (refusal as FlameError).hints],
    ['cell-exists', [`mv ${shellQuote(tree('worker-2'))} ${shellQuote(`${tree('worker-2')}.kept`)}`]],
  );
  assert.equal(readdirSync(tree('worker-2')), ['mine.txt']);
  assert.is(await codeOf(port.addCellWorktree(tree('.hidden'), head)), 'cell-exists');
  assert.is((await port.cells()).length, 1);
});

test('a start that is no commit leaves nothing over', async () => {
  const { repo, port, tree } = await openFixture();
  await port.addCellWorktree(tree('worker-1'), parseObjectId('1'.repeat(40))).then(
    () => assert.unreachable(),
    () => undefined,
  );
  assert.is(existsSync(tree('worker-1')), false);
  assert.equal(await port.cells(), []);
  assert.is(findDamage(repo), '');
});

test("the person's worktree commands see a cell and leave it alone", async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'new.txt', 'new\n');
  const tip = agentCommits(cell, 'new');
  assert.match(repo.git('worktree', 'list'), /worker-1/);
  repo.git('worktree', 'prune', '--expire=now');
  repo.git('gc', '-q', '--prune=now');
  assert.throws(() => repo.git('worktree', 'remove', '--force', '.trees/worker-1'));
  await port.acceptCell(cell, tip);
  assert.is(repo.git('cat-file', '-t', tip), 'commit');
});

test("a start nothing else refers to survives the person's gc", async () => {
  const { repo, port, head, tree } = await openFixture();
  const { tree: top } = await port.readCommit(head);
  const start = await port.writeUnsignedCommit({
    tree: top,
    parents: [head],
    message: 'two branches together',
  });
  const cell = await port.addCellWorktree(tree('worker-1'), start);
  repo.git('gc', '-q', '--prune=now');
  agentWrites(cell, 'x', 'x\n');
  await port.acceptCell(cell, agentCommits(cell, 'x'));
  assert.is(findDamage(repo), '');
});

test('a repository with alternates of its own', async () => {
  const { repo, head } = await openFixture();
  const path = join(makeTempDir(), 'shared clone');
  repo.git('clone', '-q', '--shared', repo.path, path);
  const clone = openRepo(path);
  const port = await openGit({ cwd: path, env: clone.env });
  const cell = await port.addCellWorktree(join(path, '.trees/w'), head);
  agentWrites(cell, 'src/a.txt', 'changed\n');
  const tip = agentCommits(cell, 'change');
  assert.is(agentGit(cell, 'log', '--oneline').split('\n').length, 2);
  await port.acceptCell(cell, tip);
  clone.git('update-ref', 'refs/heads/done', tip);
  assert.is(findDamage(clone), '');
});

test('a cell of a bare repository, and one started from a linked worktree', async () => {
  const { repo, head } = await openFixture();
  const bare = openRepo(join(makeTempDir(), 'bare.git'));
  repo.git('clone', '-q', '--bare', repo.path, bare.path);
  const inBare = await openGit({ cwd: bare.path, env: bare.env });
  const cell = await inBare.addCellWorktree(join(makeTempDir(), 'w'), head);
  agentWrites(cell, 'b', 'b\n');
  await inBare.acceptCell(cell, agentCommits(cell, 'b'));

  const linked = join(makeTempDir(), 'linked');
  repo.git('worktree', 'add', '-q', linked, '-b', 'side');
  const inLinked = await openGit({ cwd: join(linked, 'src'), env: repo.env });
  const other = await inLinked.addCellWorktree(join(repo.path, '.trees/w'), head);
  agentWrites(other, 'c', 'c\n');
  await inLinked.acceptCell(other, agentCommits(other, 'c'));
  assert.is(findDamage(repo), '');
});

test("sparse checkout, split index and commit-graph of the person don't reach into a cell", async () => {
  const { repo, port, head, tree } = await openFixture();
  repo.git('config', 'core.splitIndex', 'true');
  repo.git('config', 'core.untrackedCache', 'true');
  repo.git('sparse-checkout', 'set', '--no-cone', '/README.md');
  repo.git('commit-graph', 'write', '--reachable');
  const cell = await port.addCellWorktree(tree('w'), head);
  assert.is(existsSync(join(cell.path, 'src/a.txt')), true);
  assert.is(agentGit(cell, 'status', '--porcelain'), '');
  assert.equal(await port.cellLeftovers(cell), []);
  await port.discardCell(cell);
});

test('folders an agent closed are removed too', async () => {
  const { port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('w'), head);
  agentWrites(cell, 'closed/deep/file', 'x');
  chmodSync(join(cell.path, 'closed/deep'), 0);
  chmodSync(join(cell.path, 'closed'), 0);
  symlinkSync('/etc', join(cell.path, 'link'));
  await port.discardCell(cell);
  assert.is(existsSync(cell.path), false);
  assert.is(existsSync('/etc/passwd'), true);
});

test('a worktree of an agent can be reached by nobody else on the machine', async () => {
  const { port, tree, head } = await openFixture();
  const { path } = await port.addCellWorktree(tree('worker-1'), head);
  for (const folder of [path, dirname(path)]) assert.is(statSync(folder).mode & 0o777, 0o700, folder);
});

test.run();
