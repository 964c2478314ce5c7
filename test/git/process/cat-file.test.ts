import { randomBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { CatFile } from '../../../lib/git/process/cat-file.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const missing = parseObjectId('1'.repeat(40));

test('reads objects of any size, in the order asked, missing ones as null', async () => {
  const repo = makeRepo();
  repo.write('big.txt', 'line\n'.repeat(200_000));
  repo.write('empty.txt', '');
  const commit = parseObjectId(repo.commit('files'));
  const ids = ['big.txt', 'empty.txt', 'src/a.txt'].map((path) => oidOf(repo, `HEAD:${path}`));
  const catFile = open(repo);
  const [big, nothing, empty, small, again] = await Promise.all([
    catFile.read(ids[0] ?? missing),
    catFile.read(missing),
    catFile.read(ids[1] ?? missing),
    catFile.read(ids[2] ?? missing),
    catFile.info('HEAD'),
  ]);
  assert.is(big?.bytes.length, 1_000_000);
  assert.is(nothing, null);
  assert.is(empty?.bytes.length, 0);
  assert.is(small?.bytes.toString(), 'a\n');
  assert.is(again?.oid, commit);
  assert.is(again?.type, 'commit');
  await catFile.close();
});

test('ref names are resolved anew, and packs made meanwhile are found', async () => {
  const repo = makeRepo();
  const catFile = open(repo);
  assert.is((await catFile.info('refs/heads/main'))?.oid, oidOf(repo, 'HEAD'));
  assert.is(await catFile.info('refs/heads/none'), null);
  repo.write('b.txt', 'b\n');
  const next = parseObjectId(repo.commit('b'));
  repo.git('pack-refs', '--all');
  repo.git('repack', '-q', '-a', '-d');
  assert.is((await catFile.info('refs/heads/main'))?.oid, next);
  assert.is((await catFile.read(oidOf(repo, 'HEAD:b.txt')))?.bytes.toString(), 'b\n');
  await catFile.close();
});

test('a damaged object fails its own request; those behind it are answered', async () => {
  const repo = makeRepo();
  const bad = oidOf(repo, 'HEAD:src/a.txt');
  const good = oidOf(repo, 'HEAD:README.md');
  const path = join(repo.path, '.git/objects', bad.slice(0, 2), bad.slice(2));
  // A header that unpacks and a body that ends too soon: git dies of it, while other damage is just missing.
  const body = Buffer.concat([Buffer.from('blob 4096\0'), randomBytes(4_096)]);
  chmodSync(path, 0o644);
  writeFileSync(path, deflateSync(body).subarray(0, 2_000));
  const catFile = open(repo);
  const [first, second, third] = await Promise.allSettled([catFile.read(good), catFile.read(bad), catFile.read(good)]);
  assert.is(first?.status === 'fulfilled' && first.value?.type, 'blob');
  assert.is(third?.status === 'fulfilled' && third.value?.type, 'blob');
  assert.is(second?.status === 'rejected' && (second.reason as FlameError).code, 'object-unreadable');
  const many = await catFile.readAll([good, bad, missing, good]);
  assert.equal(
    many.map((object) => object?.oid ?? null),
    [good, null, null, good],
  );
  await catFile.close();
  assert.is(await code(catFile.readAll([good])), 'cat-file is closed');
});

test('what is asked just before the end is answered', async () => {
  const repo = makeRepo();
  const catFile = open(repo);
  const head = catFile.info('HEAD');
  await new Promise((resolve) => queueMicrotask(() => resolve(null)));
  // git is at work on the first one, so that this one would wait for others.
  const readme = catFile.readAll([oidOf(repo, 'HEAD:README.md')]);
  await catFile.close();
  assert.is((await head)?.type, 'commit');
  assert.is((await readme)[0]?.type, 'blob');
});

test('outside a repository every request fails, none waits for ever', async () => {
  const repo = makeRepo();
  const catFile = new CatFile({ cwd: repo.path, env: repo.env }, join(repo.path, 'src'));
  const results = await Promise.allSettled([catFile.info('HEAD'), catFile.read(missing)]);
  assert.equal(
    results.map((result) => result.status === 'rejected' && (result.reason as FlameError).code),
    ['object-unreadable', 'object-unreadable'],
  );
  await catFile.close();
});

function code(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'it worked',
    (error: Error) => error.message,
  );
}

function open(repo: TestRepo): CatFile {
  return new CatFile({ cwd: repo.path, env: repo.env }, join(repo.path, '.git'));
}

function oidOf(repo: TestRepo, revision: string) {
  return parseObjectId(repo.git('rev-parse', revision));
}

test.run();
