import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { CellWorktree } from '../../../lib/domain/ports/git-cells.ts';
import type { MaybeQuarantinedCommit, TrialMergeResult } from '../../../lib/domain/ports/git-commits.ts';
import { agentCommits, agentGit, agentWrites, codeOf, type Fixture, findDamage, openFixture } from '../cell-fixture.ts';

const going = new AbortController().signal;

async function cellOf({ port, tree }: Fixture, id: string, start: ObjectId): Promise<CellWorktree> {
  return port.addCellWorktree(tree(id), start);
}

function placed(cell: CellWorktree, commit: ObjectId): MaybeQuarantinedCommit {
  return { commit, quarantine: cell.quarantine };
}

/** All objects of the repository, and what of trials is left. */
function objectsOf({ repo, port }: Fixture): readonly string[] {
  const trials = join(port.repository.commonDir, 'blueflame', 'objects');
  const left = existsSync(trials) ? readdirSync(trials).filter((name) => name.startsWith('trial-')) : [];
  return [...repo.git('cat-file', '--batch-all-objects', '--batch-check').split('\n').sort(), ...left];
}

async function both(
  fixture: Fixture,
  first: (cell: CellWorktree) => void,
  second: (cell: CellWorktree) => void,
): Promise<TrialMergeResult> {
  const head = parseObjectId(fixture.repo.git('rev-parse', 'HEAD'));
  const [a, b] = [await cellOf(fixture, 'a', head), await cellOf(fixture, 'b', head)];
  first(a);
  second(b);
  const [one, other] = [agentCommits(a, 'a'), agentCommits(b, 'b')];
  const before = objectsOf(fixture);
  const trial = await fixture.port.tryMerge(placed(a, one), placed(b, other), going);
  assert.equal(objectsOf(fixture), before, 'nothing enters the repository');
  assert.is(findDamage(fixture.repo), '');
  return trial;
}

test('two agents at work: a conflict is seen while their objects are in quarantine, and none enters', async () => {
  const fixture = await openFixture();
  fixture.repo.write('price.js', 'one\n');
  fixture.repo.commit('price');
  const writes = (text: string) => (cell: CellWorktree) => agentWrites(cell, 'price.js', text);
  assert.equal(await both(fixture, writes('two\n'), writes('three\n')), {
    kind: 'conflict',
    paths: ['price.js'],
  });
});

test('what merges is clean, in sha256 too', async () => {
  const fixture = await openFixture({ objectFormat: 'sha256' });
  const trial = await both(
    fixture,
    (cell) => agentWrites(cell, 'a/x', 'x\n'),
    (cell) => agentWrites(cell, 'a/y', 'y\n'),
  );
  assert.equal(trial, { kind: 'clean' });
});

test('a binary that both changed, and a rename beside an edit', async () => {
  const fixture = await openFixture();
  writeFileSync(join(fixture.repo.path, 'pic.png'), Buffer.from([137, 80, 0, 1]));
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}\n`);
  fixture.repo.write('old.txt', lines.join(''));
  fixture.repo.commit('files');
  const trial = await both(
    fixture,
    (cell) => {
      writeFileSync(join(cell.path, 'pic.png'), Buffer.from([137, 80, 0, 2]));
      agentGit(cell, 'mv', 'old.txt', 'new.txt');
    },
    (cell) => {
      writeFileSync(join(cell.path, 'pic.png'), Buffer.from([137, 80, 0, 3]));
      agentWrites(cell, 'old.txt', lines.join('').replace('line 3', 'edited'));
    },
  );
  assert.equal(trial, { kind: 'conflict', paths: ['pic.png'] });
});

test('commits without common history are said to be that', async () => {
  const fixture = await openFixture();
  const cell = await cellOf(fixture, 'a', fixture.head);
  agentGit(cell, 'checkout', '-q', '--orphan', 'alone');
  const alone = agentCommits(cell, 'alone');
  const other = { commit: fixture.head, quarantine: null };
  assert.equal(await fixture.port.tryMerge(other, placed(cell, alone), going), { kind: 'unrelated' });
});

test('no merge driver, filter or hook runs for what an agent wrote', async () => {
  const fixture = await openFixture();
  const { repo } = fixture;
  const mark = join(repo.path, 'ran');
  repo.git('config', 'merge.evil.driver', `touch ${mark}`);
  repo.git('config', 'filter.evil.clean', `touch ${mark}; cat`);
  repo.git('config', 'filter.evil.smudge', `touch ${mark}; cat`);
  repo.git('config', 'merge.renormalize', 'true');
  repo.write('.gitattributes', '* merge=evil filter=evil\n');
  repo.write('f', 'one\n');
  repo.commit('files');
  rmSync(mark, { force: true });
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const [a, b] = [await cellOf(fixture, 'a', head), await cellOf(fixture, 'b', head)];
  agentWrites(a, 'f', 'two\n');
  agentWrites(b, 'f', 'three\n');
  const [one, other] = [agentCommits(a, 'a'), agentCommits(b, 'b')];
  rmSync(mark, { force: true });
  const trial = await fixture.port.tryMerge(placed(a, one), placed(b, other), going);
  assert.is(trial.kind, 'conflict');
  assert.not.ok(existsSync(mark));
});

test('a cell that ended since it was listed: what was accepted is looked at, the rest is an error', async () => {
  const fixture = await openFixture();
  const { port, repo, head } = fixture;
  repo.write('f', 'one\n');
  const commit = parseObjectId(repo.commit('accepted'));
  const cell = await cellOf(fixture, 'a', head);
  agentWrites(cell, 'x', 'x\n');
  const lost = agentCommits(cell, 'x');
  rmSync(cell.quarantine.objectDir, { recursive: true });
  const accepted = placed(cell, commit);
  const options = { most: 10, signal: going };
  assert.equal(await port.pathsChanged(head, accepted, options), { paths: ['f'], removes: false });
  assert.equal(await port.tryMerge({ commit: head, quarantine: null }, accepted, going), { kind: 'clean' });
  assert.is(await codeOf(port.pathsChanged(head, placed(cell, lost), options)), 'git-failed');
});

test('objects that are odd, broken or missing are an error, and a stop ends a trial', async () => {
  const fixture = await openFixture();
  const { port, head } = fixture;
  const cell = await cellOf(fixture, 'a', head);
  agentWrites(cell, 'x', 'x\n');
  const tip = agentCommits(cell, 'x');
  const at = { commit: head, quarantine: null };
  const missing = { commit: parseObjectId('1'.repeat(40)), quarantine: null };
  assert.is(await codeOf(port.tryMerge(at, missing, going)), 'git-failed');
  assert.is(await codeOf(port.tryMerge(at, placed(cell, tip), AbortSignal.abort())), 'interrupted');
  mkdirSync(join(cell.quarantine.objectDir, 'info'), { recursive: true });
  execFileSync('mkfifo', [join(cell.quarantine.objectDir, 'info', 'alternates')]);
  assert.is(await codeOf(port.tryMerge(at, placed(cell, tip), going)), 'cell-objects-refused');
  const options = { most: 10, signal: going };
  assert.is(await codeOf(port.pathsChanged(head, placed(cell, tip), options)), 'cell-objects-refused');
});

test('changed paths of a commit in quarantine, with both names of a rename, and no more than asked for', async () => {
  const fixture = await openFixture();
  const { port, repo } = fixture;
  repo.write('dir/old', 'text\n'.repeat(9));
  repo.commit('old');
  const head = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const cell = await cellOf(fixture, 'a', head);
  agentGit(cell, 'mv', 'dir/old', 'dir/ü\nnew');
  const tip = agentCommits(cell, 'x');
  const changed = (most: number) => port.pathsChanged(head, placed(cell, tip), { most, signal: going });
  assert.equal(await changed(2), { paths: ['dir/old', 'dir/ü\nnew'], removes: true });
  assert.is(await changed(1), null);
});

test('what a killed trial left is gone after the next start', async () => {
  const { port } = await openFixture();
  const left = join(port.repository.commonDir, 'blueflame', 'objects', 'trial-abcdef');
  mkdirSync(join(left, 'ab'), { recursive: true });
  writeFileSync(join(left, 'ab', 'c'), 'x');
  await port.removeUnfinishedCells();
  assert.not.ok(existsSync(left));
});

test.run();
