import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makePack, makeUnwrittenObject, type ObjectHashFormat } from '../../../lib/git/objects/make-object.ts';
import { makeRepo } from '../../support/repo.ts';

for (const format of ['sha1', 'sha256'] as const) {
  test(`${format}: git takes the pack and finds each object in it`, async () => {
    const repo = makeRepo({ objectFormat: format });
    const objects = sampleObjects(format);
    const input = await makePack(format, [...objects, ...objects.slice(0, 3)]);
    execFileSync('git', ['index-pack', '--stdin'], { cwd: repo.path, env: repo.env, input, stdio: 'pipe' });
    for (const { oid, type, bytes } of objects) {
      assert.is(repo.git('cat-file', '-t', oid), type);
      assert.is(repo.git('cat-file', '-s', oid), String(bytes.length));
    }
    assert.is(repo.git('fsck', '--strict', '--no-dangling'), '');
  });
}

/** Empty and large ones among them. */
function sampleObjects(format: ObjectHashFormat) {
  const texts = ['', 'text\n', 'ü\0', 'long '.repeat(50_000), ...Array.from({ length: 60 }, (_, at) => `${at}`)];
  return [...texts.map((text) => makeUnwrittenObject(format, 'blob', text)), makeUnwrittenObject(format, 'tree', '')];
}

test.run();
