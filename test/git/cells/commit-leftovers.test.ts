import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { agentCommits, agentGit, agentWrites, findDamage, openFixture } from '../cell-fixture.ts';

test('WRK-5 what was left over is committed on top of what the agent committed', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('w'), head);
  assert.equal(await port.cellLeftovers(cell), []);
  agentWrites(cell, 'done.txt', 'done\n');
  const first = agentCommits(cell, 'done');
  agentWrites(cell, 'new\nline ü "q".txt', 'odd\n');
  agentWrites(cell, '.gitignore', '*.log\n');
  agentWrites(cell, 'build.log', 'ignored\n');
  agentWrites(cell, 'tool.sh', '#!/bin/sh\n');
  chmodSync(join(cell.path, 'tool.sh'), 0o755);
  symlinkSync('README.md', join(cell.path, 'link'));
  rmSync(join(cell.path, 'src/a.txt'));
  agentWrites(cell, 'src/a.txt/now-a-folder', 'x\n');
  agentWrites(cell, 'out-of-scope.txt', 'x\n');
  const leftovers = await port.cellLeftovers(cell);
  assert.equal(leftovers, [
    { path: '.gitignore', isTracked: false, target: null },
    { path: 'link', isTracked: false, target: 'README.md' },
    { path: 'new\nline ü "q".txt', isTracked: false, target: null },
    { path: 'out-of-scope.txt', isTracked: false, target: null },
    { path: 'src/a.txt', isTracked: true, target: null },
    { path: 'src/a.txt/now-a-folder', isTracked: false, target: null },
    { path: 'tool.sh', isTracked: false, target: null },
  ]);
  const wanted = leftovers
    .map(({ path }) => path)
    .filter((path) => path !== 'out-of-scope.txt' && path !== 'src/a.txt');
  const message = '-m odd message\n\n# no comment\n';
  const tip = await port.commitLeftovers(cell, wanted, {
    message,
    author: 'worker-1 <worker-1@agents.invalid>',
  });

  assert.is(await port.cellHead(cell), tip);
  const info = await port.readCommit(tip, cell.quarantine);
  assert.equal([info.message, info.author, info.parents], [message, 'worker-1 <worker-1@agents.invalid>', [first]]);
  assert.equal(
    (await port.changedFiles(first, tip, cell.quarantine)).map(({ path, status, newMode }) => [path, status, newMode]),
    [
      ['.gitignore', 'added', '100644'],
      ['link', 'added', '120000'],
      ['new\nline ü "q".txt', 'added', '100644'],
      ['src/a.txt', 'deleted', '000000'],
      ['src/a.txt/now-a-folder', 'added', '100644'],
      ['tool.sh', 'added', '100755'],
    ],
  );
  assert.equal(await port.cellLeftovers(cell), [{ path: 'out-of-scope.txt', isTracked: false, target: null }]);
  assert.is(agentGit(cell, 'status', '--porcelain'), '?? out-of-scope.txt');
  assert.is(agentGit(cell, 'log', '-1', '--format=%cn'), 'Lea Lead');
  await port.acceptCell(cell, tip);
  repo.git('update-ref', 'refs/heads/done', tip);
  assert.is(findDamage(repo), '');
});

test('an agent whose work was committed for it can go on', async () => {
  const { port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('w'), head);
  agentWrites(cell, 'one', '1\n');
  await port.commitLeftovers(cell, ['one'], { message: 'one', author: 'A <a@x>' });
  agentWrites(cell, 'two', '2\n');
  const tip = agentCommits(cell, 'two');
  agentWrites(cell, 'three', '3\n');
  const last = await port.commitLeftovers(cell, ['three'], { message: 'three', author: 'A <a@x>' });
  assert.equal(
    (await port.commitsBetween(head, last, cell.quarantine)).map(({ message }) => message.trim()),
    ['one', 'two', 'three'],
  );
  assert.equal((await port.readCommit(last, cell.quarantine)).parents, [tip]);
});

test('what is made for an agent that is over counts at once, its own git unshown, and what it commits later wins', async () => {
  const { repo, port, head, tree } = await openFixture();
  const cell = await port.addCellWorktree(tree('w'), head);
  agentWrites(cell, 'one', '1\n');
  const init = { message: 'one', author: 'A <a@x>', isOver: true };
  const made = await port.commitLeftovers(cell, ['one'], init);
  assert.is(await port.cellHead(cell), made);
  assert.is(await port.readCommitMadeForAgent(cell), made);
  assert.equal(await port.cellLeftovers(cell), []);
  assert.is(agentGit(cell, 'rev-parse', 'HEAD'), head);
  assert.equal(
    (await port.cells()).map(({ path }) => path),
    [cell.path],
  );

  const own = agentCommits(cell, 'own');
  assert.is(await port.cellHead(cell), own);
  assert.equal((await port.readCommit(own, cell.quarantine)).parents, [head]);
  await port.acceptCell(cell, made);
  repo.git('update-ref', 'refs/heads/done', made);
  assert.is(repo.git('show', 'done:one'), '1');
  assert.is(findDamage(repo), '');
});

test('a conflict is left in the worktree for the merger, whose commit has both parents', async () => {
  for (const committer of ['agent', 'tool'] as const) {
    const { repo, port, head, tree } = await openFixture();
    repo.git('checkout', '-q', '-b', 'theirs');
    repo.write('src/a.txt', 'theirs\n');
    repo.write('src/b.txt', 'b\n');
    repo.commit('theirs');
    const theirs = await port.resolveCommit('theirs');
    repo.git('checkout', '-q', 'main');
    repo.write('src/a.txt', 'ours\n');
    repo.commit('ours');
    const ours = await port.resolveCommit('HEAD');
    if (theirs === null || ours === null) throw new Error('no commits');
    const cell = await port.addCellWorktree(tree('merger'), ours);
    assert.equal(await port.startMergeIn(cell, theirs), ['src/a.txt']);
    assert.match(readFileSync(join(cell.path, 'src/a.txt'), 'utf8'), /<<<<<<< /);
    assert.match(agentGit(cell, 'status', '--porcelain'), /^UU src\/a.txt$/m);
    agentWrites(cell, 'src/a.txt', 'both\n');
    let tip = ours;
    if (committer === 'agent') {
      agentGit(cell, 'add', '-A');
      agentGit(cell, 'commit', '-q', '--no-edit');
      tip = await port.cellHead(cell);
    } else {
      const paths = (await port.cellLeftovers(cell)).map(({ path }) => path);
      tip = await port.commitLeftovers(cell, paths, { message: 'merged', author: 'M <m@x>' });
      assert.is(agentGit(cell, 'status', '--porcelain'), '');
      assert.is(existsSync(join(cell.quarantine.worktreeGitDir, 'MERGE_HEAD')), false);
    }
    assert.equal((await port.readCommit(tip, cell.quarantine)).parents, [ours, theirs]);
    await port.acceptCell(cell, tip);
    repo.git('update-ref', 'refs/heads/done', tip);
    assert.is(repo.git('show', 'done:src/b.txt'), 'b');
    assert.is(findDamage(repo), '');
    assert.is(head.length, 40);
  }
});

test('a merge without conflict, and one with nothing to do', async () => {
  const { repo, port, head, tree } = await openFixture();
  repo.git('checkout', '-q', '-b', 'theirs');
  repo.write('src/b.txt', 'b\n');
  repo.commit('theirs');
  const theirs = await port.resolveCommit('theirs');
  if (theirs === null) throw new Error('no commit');
  const cell = await port.addCellWorktree(tree('merger'), head);
  assert.equal(await port.startMergeIn(cell, theirs), []);
  agentGit(cell, 'commit', '-q', '--no-edit');
  assert.equal((await port.readCommit(await port.cellHead(cell), cell.quarantine)).parents, [head, theirs]);
  assert.equal(await port.startMergeIn(cell, theirs), []);
  assert.is(agentGit(cell, 'status', '--porcelain'), '');
  assert.equal(await port.cellLeftovers(cell), []);
});

test.run();
