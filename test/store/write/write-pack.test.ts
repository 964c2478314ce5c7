import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removeDeadObjects } from '../../../lib/git/objects/loose-object.ts';
import { makeObject } from '../../../lib/git/objects/make-object.ts';
import { defaultObjectSettings } from '../../../lib/git/objects/object-file.ts';
import { CatFile } from '../../../lib/git/process/cat-file.ts';
import { writePack } from '../../../lib/store/write/write-pack.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const objects = ['one', 'two', 'three'].map((text) => makeObject('sha1', 'blob', text));

test('a git that already runs finds what a pack adds, and the files are as git makes them', async () => {
  const repo = makeRepo();
  const catFile = new CatFile({ cwd: repo.path, env: repo.env }, join(repo.path, '.git'));
  const [first] = objects;
  if (first === undefined) throw new Error('none');
  assert.is(await catFile.read(first.oid), null);
  await write(repo, 0o660);
  assert.is((await catFile.read(first.oid))?.bytes.toString(), 'one');
  await catFile.close();
  const names = readdirSync(packsOf(repo));
  assert.equal(names.map((name) => name.replace(/.*\./, '')).sort(), ['idx', 'pack']);
  for (const name of names) assert.is(statSync(join(packsOf(repo), name)).mode & 0o777, 0o440 | 0o004);
  assert.is(repo.git('count-objects', '-v').match(/garbage: (\d+)/)?.[1], '0');
});

test('the same objects can be written again', async () => {
  const repo = makeRepo();
  await write(repo);
  await write(repo);
  assert.is(repo.git('fsck', '--no-dangling'), '');
});

test('what a killed writer left of a pack is removed, and of one that lives is not', async () => {
  const repo = makeRepo();
  const left = join(packsOf(repo), 'tmp_obj_flame_999999999_0123456789ab');
  const living = join(packsOf(repo), `tmp_obj_flame_${process.pid}_0123456789ab`);
  for (const file of [left, living]) writeFileSync(file, 'PACK');
  assert.is(removeDeadObjects(join(repo.path, '.git', 'objects')), 1);
  assert.equal(
    [left, living].map((file) => existsSync(file)),
    [false, true],
  );
});

async function write(repo: TestRepo, sharedBits = 0): Promise<void> {
  const settings = { ...defaultObjectSettings, sharedBits };
  await writePack(join(repo.path, '.git', 'objects'), objects, { objectFormat: 'sha1', settings });
}

function packsOf(repo: TestRepo): string {
  return join(repo.path, '.git', 'objects', 'pack');
}

test.run();
