import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeObject, type ObjectFormat } from '../../../lib/git/objects/make-object.ts';
import { makePack } from '../../../lib/git/objects/make-pack.ts';
import { makeRepo } from '../../support/repo.ts';

for (const format of ['sha1', 'sha256'] as const) {
  test(`${format}: git makes the same index of the pack, and finds each object`, async () => {
    const repo = makeRepo({ objectFormat: format });
    const objects = sampleObjects(format);
    const { name, pack, index } = await makePack(format, [...objects, ...objects.slice(0, 3)], 1);
    const place = join(repo.path, '.git', 'objects', 'pack', name);
    writeFileSync(`${place}.pack`, pack);
    writeFileSync(`${place}.idx`, index);
    const said = repo.git('verify-pack', '-v', `${place}.idx`).split('\n');
    for (const { oid, type, bytes } of objects) {
      assert.ok(said.some((line) => line.startsWith(`${oid} ${type}`)));
      assert.is(repo.git('cat-file', '-s', oid), String(bytes.length));
    }
    const own = join(repo.path, 'own.idx');
    const made = repo.git('index-pack', '--index-version=2', '-o', own, `${place}.pack`);
    assert.is(`pack-${made.replace(/^pack\t/, '')}`, name);
    assert.is(
      repo.git('hash-object', '--no-filters', own),
      repo.git('hash-object', '--no-filters', `${place}.idx`),
    );
    assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
  });
}

/** Enough for several of one first byte, empty and large ones among them. */
function sampleObjects(format: ObjectFormat) {
  const texts = [
    '',
    'text\n',
    'ü\0',
    'long '.repeat(50_000),
    ...Array.from({ length: 700 }, (_, at) => `${at}`),
  ];
  return [...texts.map((text) => makeObject(format, 'blob', text)), makeObject(format, 'tree', '')];
}

test.run();
