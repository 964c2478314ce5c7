import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../../support/repo.ts';
import { agentCommits, agentGit, agentWrites, codeOf, findDamage, openFixture } from '../cell-fixture.ts';

const init = { message: 'rescue: task-001\n', author: 'worker-1 <worker-1@agents.invalid>' };

for (const objectFormat of ['sha1', 'sha256'] as const) {
  test(`LIF-7 a rescue holds commits, changed, new and deleted files, and nothing ignored or prepared, ${objectFormat}`, async () => {
    const { repo, port, head, tree } = await openFixture({ objectFormat });
    const cell = await port.addCellWorktree(tree('worker-1'), head);
    agentWrites(cell, '.gitignore', '*.log\n');
    agentWrites(cell, 'src/b.txt', 'committed\n');
    const own = agentCommits(cell, 'own work');
    agentWrites(cell, 'node_modules/x.js', 'prepared');
    await port.recordPreparedPaths(cell, ['node_modules/x.js']);
    agentWrites(cell, 'src/a.txt', 'changed\n');
    agentWrites(cell, 'new/ü "x".txt', 'new\n');
    agentWrites(cell, 'noise.log', 'ignored\n');
    agentGit(cell, 'rm', '-q', 'README.md');
    const commit = await port.rescueCell(cell, init);
    assert.ok(commit);
    assert.is(repo.git('cat-file', '--batch-all-objects', '--batch-check').includes(commit), false);
    await port.importCell(cell, commit);
    const names = repo.git('-c', 'core.quotePath=false', 'ls-tree', '-r', '-z', '--name-only', commit).split('\0');
    assert.equal(names.filter(Boolean), ['.gitignore', 'new/ü "x".txt', 'src/a.txt', 'src/b.txt']);
    assert.is(repo.git('rev-parse', `${commit}^`), own);
    assert.is(repo.git('log', '-1', '--format=%an|%cn', commit), 'worker-1|Lea Lead');
    repo.git('update-ref', 'refs/blueflame/rescue/x', commit);
    assert.is(findDamage(repo), '');
  });
}

test('a rescue changes nothing the agent would see, and can be done again', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'src/b.txt', 'staged\n');
  agentGit(cell, 'add', '.');
  agentWrites(cell, 'src/c.txt', 'untracked\n');
  const before = agentGit(cell, 'status', '--porcelain');
  const first = await port.rescueCell(cell, init);
  assert.is(agentGit(cell, 'status', '--porcelain'), before);
  assert.is(await port.cellHead(cell), head);
  assert.is(await port.rescueCell(cell, init), first);
  assert.is((await port.cellLeftovers(cell)).length, 2);
  assert.is(findDamage(repo), '');
});

test('an untouched worktree has nothing to rescue', async () => {
  const { port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  assert.is(await port.rescueCell(cell, init), null);
  agentWrites(cell, 'kept.txt', 'x');
  await port.recordPreparedPaths(cell, ['kept.txt']);
  assert.is(await port.rescueCell(cell, init), null);
});

test('where HEAD is broken the files are rescued all the same, on the start', async () => {
  for (const broken of ['junk\n', `${'1'.repeat(40)}\n`]) {
    const { repo, port, head, tree } = await openFixture();
    const cell = await port.addCellWorktree(tree('worker-1'), head);
    agentWrites(cell, 'src/b.txt', 'work\n');
    writeFileSync(join(cell.quarantine.worktreeGitDir, 'HEAD'), broken);
    const commit = await port.rescueCell(cell, init);
    assert.ok(commit);
    await port.importCell(cell, commit);
    assert.is(repo.git('show', `${commit}:src/b.txt`), 'work');
    assert.is(repo.git('rev-parse', `${commit}^`), head);
  }
});

test('a repository the agent made inside is kept as plain files; links stay links', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'made/inner.txt', 'inner\n');
  agentGit({ ...cell, path: join(cell.path, 'made') }, 'init', '-q');
  symlinkSync('/etc/passwd', join(cell.path, 'link'));
  const commit = await port.rescueCell(cell, init);
  assert.ok(commit);
  await port.importCell(cell, commit);
  assert.is(repo.git('show', `${commit}:made/inner.txt`), 'inner');
  assert.match(repo.git('ls-tree', commit, 'link'), /^120000 blob/);
  assert.is(repo.git('show', `${commit}:link`), '/etc/passwd');
});

test('a commit is written out into an empty folder only, and nothing of the repository moves', async () => {
  const { repo, port, head } = await openFixture();
  const folder = join(makeTempDir(), 'deep', 'out');
  await port.exportCommit(head, folder);
  assert.is(readFileSync(join(folder, 'src/a.txt'), 'utf8'), 'a\n');
  assert.equal(readdirSync(folder).sort(), ['README.md', 'src']);
  assert.is(await codeOf(port.exportCommit(head, folder)), 'folder-not-empty');
  assert.is(repo.git('status', '--porcelain'), '');
  const closed = join(makeTempDir(), 'file');
  writeFileSync(closed, '');
  assert.not((await codeOf(port.exportCommit(head, closed))) === 'no error');
});

test('refs below a prefix are listed, also those of folders with a like name not', async () => {
  const { repo, port, head } = await openFixture();
  for (const ref of [
    'refs/blueflame/rescue/s/task-001/2',
    'refs/blueflame/rescue/s/task-001/1',
    'refs/blueflame/rescued/x',
  ])
    repo.git('update-ref', ref, head);
  mkdirSync(join(repo.path, '.git/refs/blueflame/rescue/empty'), { recursive: true });
  assert.equal(
    (await port.listRefs('refs/blueflame/rescue/')).map(({ ref }) => ref),
    ['refs/blueflame/rescue/s/task-001/1', 'refs/blueflame/rescue/s/task-001/2'],
  );
  assert.equal(await port.listRefs('refs/nothing/'), []);
});

test.run();
