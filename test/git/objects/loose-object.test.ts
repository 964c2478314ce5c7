import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  defaultObjectWriteSettings,
  parseObjectWriteSettings,
  readObjectWriteSettings,
  removeUnfinishedObjects,
  writeLooseObject,
} from '../../../lib/git/objects/loose-object.ts';
import { makeUnwrittenObject } from '../../../lib/git/objects/make-object.ts';
import { parseGitSettings } from '../../../lib/git/process/git-settings.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

for (const objectFormat of ['sha1', 'sha256'] as const) {
  test(`${objectFormat}: git finds what was written, under the name git gives it`, () => {
    const repo = makeRepo({ objectFormat });
    for (const text of ['', 'text\n', 'ü\0', 'long '.repeat(50_000)]) {
      const object = makeUnwrittenObject(objectFormat, 'blob', text);
      writeLooseObject(objectsOf(repo), object);
      repo.write('file', text);
      assert.is(repo.git('hash-object', 'file'), object.oid);
      assert.is(repo.git('cat-file', '-s', object.oid), String(Buffer.byteLength(text)));
    }
    assert.is(repo.git('fsck', '--no-dangling'), '');
  });
}

test('an object that exists is made young again, so that a prune keeps it', () => {
  const repo = makeRepo();
  const object = makeUnwrittenObject('sha1', 'blob', 'once\n');
  writeLooseObject(objectsOf(repo), object);
  const path = join(objectsOf(repo), object.oid.slice(0, 2), object.oid.slice(2));
  const inode = statSync(path).ino;
  utimesSync(path, new Date('2020-01-01'), new Date('2020-01-01'));
  writeLooseObject(objectsOf(repo), object);
  repo.git('prune', '--expire=1.hour.ago');
  assert.ok(existsSync(path));
  assert.is(statSync(path).ino, inode);
  assert.is(statSync(path).mode & 0o777, 0o444);
  assert.equal(
    readdirSync(join(path, '..')).filter((name) => name.startsWith('tmp_obj_')),
    [],
  );
});

test('a shared repository stays writable for its group', () => {
  const repo = makeRepo();
  const object = makeUnwrittenObject('sha1', 'blob', 'shared\n');
  writeLooseObject(objectsOf(repo), object, {
    ...defaultObjectWriteSettings,
    isSynced: true,
    sharedBits: 0o660,
  });
  const folder = join(objectsOf(repo), object.oid.slice(0, 2));
  assert.is(statSync(folder).mode & 0o2070, 0o2070);
  assert.is(statSync(join(folder, object.oid.slice(2))).mode & 0o040, 0o040);
});

test('the settings follow the configuration of git', async () => {
  const repo = makeRepo();
  const read = () => readObjectWriteSettings({ env: { ...repo.env } }, join(repo.path, '.git'));
  assert.equal(await read(), defaultObjectWriteSettings);
  repo.git('config', 'core.fsync', 'committed');
  repo.git('config', 'core.compression', '9');
  repo.git('config', 'core.sharedRepository', 'group');
  assert.equal(await read(), { isSynced: true, level: 9, sharedBits: 0o660 });
  repo.git('config', 'core.looseCompression', '0');
  repo.git('config', 'core.fsync', 'reference,-loose-object');
  repo.git('config', 'core.sharedRepository', '0640');
  assert.equal(await read(), { isSynced: false, level: 0, sharedBits: 0o640 });
});

test('what a killed writer left is removed, and of one that lives is not', () => {
  const objects = objectsOf(makeRepo());
  const [folder = ''] = readdirSync(objects).filter((name) => name.length === 2);
  const [left, living] = [999_999_999, process.pid].map((pid) =>
    join(objects, folder, `tmp_obj_flame_${pid}_0123456789ab`),
  );
  for (const file of [left, living]) writeFileSync(`${file}`, 'x');
  assert.is(removeUnfinishedObjects(objects), 1);
  assert.equal(
    [left, living].map((file) => existsSync(`${file}`)),
    [false, true],
  );
});

test('odd settings fall back to the defaults', () => {
  assert.equal(settingsOf('core.compression\nmuch', 'core.sharedrepository\nwhat'), defaultObjectWriteSettings);
  assert.is(settingsOf('core.fsyncobjectfiles').isSynced, true);
});

function settingsOf(...entries: readonly string[]): ReturnType<typeof parseObjectWriteSettings> {
  return parseObjectWriteSettings(parseGitSettings(entries.map((entry) => `local\0${entry}\0`).join('')));
}

function objectsOf(repo: TestRepo): string {
  return join(repo.path, '.git/objects');
}

test.run();
