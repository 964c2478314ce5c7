import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openGit } from '../../lib/git/open-git.ts';
import { ownIdentity } from '../../lib/util/process-identity.ts';
import { makeTempDir } from '../support/repo.ts';
import { agentCommits, agentWrites, type Fixture, findDamage, openFixture } from './cell-fixture.ts';

/** Two commits with nested folders: several objects that refer to each other. */
async function makeWork({ port, head, tree }: Fixture) {
  const cell = await port.addCellWorktree(tree('worker-1'), head);
  agentWrites(cell, 'a/b/c.txt', 'one\n');
  agentCommits(cell, 'one');
  agentWrites(cell, 'a/b/d.txt', 'two\n');
  const tip = agentCommits(cell, 'two');
  return { cell, tip };
}

/** A port whose accept is cut off at the nth step, as a kill would; and the names of the steps so far. */
async function openDying({ repo }: Fixture, at: number) {
  const steps: string[] = [];
  const port = await openGit({ cwd: repo.path, env: repo.env }, (step) => {
    steps.push(step);
    if (steps.length > at) throw new Error('killed');
  });
  return { port, steps };
}

async function countSteps(): Promise<number> {
  const fixture = await openFixture();
  const { cell, tip } = await makeWork(fixture);
  const { port, steps } = await openDying(fixture, 1_000);
  await port.acceptCell(cell, tip);
  assert.is(steps[0], 'verified');
  assert.is(steps.filter((step) => step.startsWith('object ')).length, 10);
  return steps.length;
}

test('UNI-5 accept killed between any two steps: the repository is sound, the work can be had', async () => {
  const total = await countSteps();
  for (let at = 0; at < total; at += 1) {
    const fixture = await openFixture();
    const { repo, port } = fixture;
    const { cell, tip } = await makeWork(fixture);
    const dying = await openDying(fixture, at);
    await dying.port.acceptCell(cell, tip).then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'killed'),
    );
    assert.is(findDamage(repo), '', `after ${dying.steps.at(-1)}`);

    await port.removeUnfinishedCells();
    assert.is(findDamage(repo), '', `recovered after ${dying.steps.at(-1)}`);
    const [left] = await port.cells();
    if (left !== undefined) await port.acceptCell(left, await port.cellHead(left));
    repo.git('update-ref', 'refs/heads/done', tip);
    assert.is(repo.git('show', 'done:a/b/d.txt'), 'two');
    assert.is(existsSync(cell.path), false);
    assert.is((await port.worktrees()).length, 1);
    assert.equal(readdirSync(join(repo.path, '.git/blueflame/objects')), []);
    assert.equal(readdirSync(join(repo.path, '.git/blueflame/cells')), []);
    assert.is(findDamage(repo), '');
    assert.equal(await port.removeUnfinishedCells(), []);
  }
});

test('recovery leaves living cells, and clears those whose worktree is gone', async () => {
  const { repo, port, head, tree } = await openFixture();
  const [kept, gone] = [await port.addCellWorktree(tree('kept'), head), await port.addCellWorktree(tree('gone'), head)];
  rmSync(gone.path, { recursive: true });
  mkdirSync(join(repo.path, '.git/blueflame/objects/orphan/ab'), { recursive: true });
  assert.equal([...(await port.removeUnfinishedCells())].sort(), ['gone', 'orphan']);
  assert.equal(
    (await port.cells()).map((cell) => cell.path),
    [kept.path],
  );
  assert.equal(readdirSync(join(repo.path, '.git/blueflame/objects')), ['kept']);
  assert.is((await port.worktrees()).length, 2);
});

test('a half-removed cell whose name was given again keeps the new one', async () => {
  const fixture = await openFixture();
  const { repo, port, head, tree } = fixture;
  const { cell } = await makeWork(fixture);
  const dying = await openDying(fixture, 3);
  await dying.port.discardCell(cell).catch(() => undefined);
  assert.is(dying.steps.at(-1), 'objects removed');
  const again = await port.addCellWorktree(tree('worker-1'), head);
  writeFileSync(join(again.path, 'new.txt'), 'new');
  await port.removeUnfinishedCells();
  assert.is(existsSync(join(again.path, 'new.txt')), true);
  await port.discardCell(again);
  assert.equal(readdirSync(join(repo.path, '.git/blueflame/cells')), []);
});

test('LIF-4 a cell cut short in the making is not listed and is cleared, whatever was written of it', async () => {
  for (const link of [null, '', 'gitdir: /']) {
    const { repo, port, head, tree } = await openFixture();
    const cell = await port.addCellWorktree(tree('worker-1'), head);
    const record = join(repo.path, '.git/blueflame/cells/worker-1');
    const owner = { ...ownIdentity(), start: '1' };
    writeFileSync(join(record, 'record'), `${JSON.stringify({ owner, worktree: cell.path })}\n{"start":"`);
    if (link === null) rmSync(cell.path, { recursive: true });
    else writeFileSync(join(cell.path, '.git'), link);
    assert.equal(await port.cells(), []);
    assert.equal(await port.removeUnfinishedCells(), ['worker-1']);
    assert.is(existsSync(cell.path), false);
    assert.equal(readdirSync(join(repo.path, '.git/blueflame/cells')), []);
    assert.is((await port.worktrees()).length, 1);
  }
});

test('LIF-4 a folder of the person that was in the way of a cell stays when the cell is cleared', async () => {
  const { repo, port, tree } = await openFixture();
  const record = join(repo.path, '.git/blueflame/cells/worker-1');
  mkdirSync(record, { recursive: true });
  mkdirSync(tree('worker-1'), { recursive: true });
  writeFileSync(join(tree('worker-1'), 'mine.txt'), 'mine');
  const owner = { ...ownIdentity(), start: '1' };
  writeFileSync(join(record, 'record'), `${JSON.stringify({ owner, worktree: tree('worker-1') })}\n`);
  assert.equal(await port.removeUnfinishedCells(), ['worker-1']);
  assert.equal(readdirSync(tree('worker-1')), ['mine.txt']);
});

test('recovery in a repository that never had a cell writes nothing', async () => {
  const { repo, port } = await openFixture();
  assert.equal(await port.removeUnfinishedCells(), []);
  assert.is(existsSync(join(repo.path, '.git/blueflame')), false);
  assert.is(existsSync(makeTempDir()), true);
});

test('importCell keeps the cell, and may be repeated', async () => {
  const fixture = await openFixture();
  const { repo, port } = fixture;
  const { cell, tip } = await makeWork(fixture);
  await port.importCell(cell, tip);
  await port.importCell(cell, tip);
  assert.is(repo.git('cat-file', '-t', tip), 'commit');
  assert.is(await port.cellHead(cell), tip);
  assert.equal(await port.cellLeftovers(cell), []);
  assert.is((await port.changedFiles(cell.start, tip, cell.quarantine)).length, 2);
  await port.acceptCell(cell, tip);
  assert.is(findDamage(repo), '');
});

test.run();
