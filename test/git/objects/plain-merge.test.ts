import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { writeLooseObject } from '../../../lib/git/objects/loose-object.ts';
import { makeObject, type NewObject } from '../../../lib/git/objects/make-object.ts';
import { onlyMergeBase } from '../../../lib/git/objects/only-merge-base.ts';
import { parseCommit } from '../../../lib/git/objects/parse-commit.ts';
import { plainMerger } from '../../../lib/git/objects/plain-merge.ts';
import { linksReader } from '../../../lib/git/objects/read-links.ts';
import { CatFile } from '../../../lib/git/process/cat-file.ts';
import { makeHistory } from '../../support/history.ts';
import { makeRandom, type Random } from '../../support/random.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const folders: [string, ...string[]] = ['', 'a/', 'a/b/', 'a.c/', 'd/'];
const names: [string, ...string[]] = ['x', 'y', 'z', 'b', 'a.c'];
type Files = ReadonlyMap<string, string>;

function somePath(random: Random): string {
  return `${random.pick(folders)}${random.pick(names)}`;
}

/** No file lies below another one. */
function isPossible(files: Files): boolean {
  return [...files.keys()].every((path) => ![...files.keys()].some((other) => other.startsWith(`${path}/`)));
}

function change(files: Files, random: Random): Files {
  const next = new Map(files);
  const path = somePath(random);
  const [gone] = next.keys();
  if (random.chance(0.15) && gone !== undefined) next.delete(gone);
  // A rename, to most eyes.
  else if (random.chance(0.1) && gone !== undefined) {
    next.set(path, next.get(gone) ?? '');
    if (path !== gone) next.delete(gone);
  } else next.set(path, `${random.int(1, 9)}\n`.repeat(5));
  return isPossible(next) ? next : files;
}

function changed(files: Files, random: Random, times: number): Files {
  return Array.from({ length: times }).reduce<Files>((now) => change(now, random), files);
}

/** Branches b<n>, o<n> and t<n>: where two sides come from, and what each made of it. */
function makeSides(repo: TestRepo, random: Random, count: number): void {
  let stream = '';
  const commit = (branch: string, from: string | null, files: Files): void => {
    stream += `commit refs/heads/${branch}\ncommitter L <l@example.com> 1770000000 +0000\ndata 1\nm\n`;
    if (from !== null) stream += `from refs/heads/${from}\n`;
    stream += 'deleteall\n';
    for (const [path, text] of files) stream += `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
  };
  for (let at = 0; at < count; at += 1) {
    const base = changed(new Map([['a/x', 'x\n']]), random, 12);
    commit(`b${at}`, null, base);
    commit(`o${at}`, `b${at}`, changed(base, random, random.int(1, 3)));
    commit(`t${at}`, `b${at}`, changed(base, random, random.int(1, 3)));
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repo.path, env: repo.env, input: stream });
}

for (const objectFormat of ['sha1', 'sha256'] as const)
  test(`what is merged without git is what git makes of it, in ${objectFormat}`, async () => {
    const repo = makeRepo({ objectFormat });
    const random = makeRandom(11);
    const count = 150;
    makeSides(repo, random, count);
    const objects = new CatFile({ cwd: repo.path, env: repo.env }, `${repo.path}/.git`);
    const merge = plainMerger(objects, linksReader(objects), objectFormat);
    let merged = 0;
    for (let at = 0; at < count; at += 1) {
      const [ours, theirs] = [`o${at}`, `t${at}`].map((name) => parseObjectId(repo.git('rev-parse', name)));
      assert.ok(ours && theirs);
      const args = ['merge-tree', '--write-tree', '-z', ours, theirs];
      const git = spawnSync('git', args, { cwd: repo.path, env: repo.env, encoding: 'utf8' });
      const made: NewObject[] = [];
      const tree = await merge(ours, theirs, (one) => void made.push(one));
      if (tree === null) continue;
      merged += 1;
      assert.is(git.status, 0, `case ${at}`);
      assert.is(tree, git.stdout.split('\0')[0], `case ${at}`);
      for (const one of made) writeLooseObject(`${repo.path}/.git/objects`, one);
    }
    assert.ok(merged >= count / 5, `${merged} of ${count}`);
    repo.git('fsck', '--strict', '--no-dangling');
    await objects.close();
  });

test('the only best common ancestor is found as git finds it, whatever the times say', async () => {
  const random = makeRandom(5);
  const repo = makeRepo();
  const count = 60;
  const commits = makeHistory(repo, random, count);
  const objects = new CatFile({ cwd: repo.path, env: repo.env }, `${repo.path}/.git`);
  const read = async (oid: ReturnType<typeof parseObjectId>) =>
    parseCommit(oid, (await objects.read(oid))?.bytes ?? Buffer.of());
  let only = 0;
  for (let round = 0; round < 60; round += 1) {
    const [one, other] = [random.pick(commits), random.pick(commits)];
    const git = spawnSync('git', ['merge-base', '--all', one, other], {
      cwd: repo.path,
      env: repo.env,
      encoding: 'utf8',
    });
    const bases = git.stdout.split('\n').filter(Boolean);
    const found = await onlyMergeBase(read, one, other);
    if (found === null) continue;
    assert.equal(bases, [found]);
    only += 1;
  }
  assert.ok(only > 10, `${only}`);
  await objects.close();
});

test('a commit that can not be read, or a far one, is left to git', async () => {
  const id = (at: number) => makeObject('sha1', 'blob', String(at)).oid;
  const links = (at: number) => ({ tree: id(0), parents: [id(at + 1)], committed: 1_000_000 - at });
  const chain = new Map(Array.from({ length: 1_000 }, (_, at) => [id(at), links(at)]));
  const read = async (oid: ReturnType<typeof id>) => chain.get(oid) ?? null;
  assert.is(await onlyMergeBase(read, id(0), id(5)), id(5));
  assert.is(await onlyMergeBase(read, id(0), id(900)), null);
  chain.delete(id(3));
  assert.is(await onlyMergeBase(read, id(0), id(5)), null);
});

test.run();
