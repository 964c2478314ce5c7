import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeLooseObject } from '../../../lib/git/objects/loose-object.ts';
import { makeObject } from '../../../lib/git/objects/make-object.ts';
import { readLoose, readLooseInfo, readLooseInThread } from '../../../lib/git/objects/object-source.ts';

test('a loose object of any size is read alike, and one that is not there is null', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flame-loose-'));
  const contents = {
    empty: Buffer.alloc(0),
    small: Buffer.from('one line\n'),
    // Small as a file, and large unpacked.
    dense: Buffer.alloc(300_000, 'a'),
    middle: randomBytes(5_000),
    large: randomBytes(300_000),
  };
  for (const [name, bytes] of Object.entries(contents)) {
    const object = makeObject('sha1', 'blob', bytes);
    assert.is(readLoose(folder, object.oid), null, name);
    assert.is(await readLooseInThread(folder, object.oid), null, name);
    assert.is(readLooseInfo(folder, object.oid), null, name);
    writeLooseObject(folder, object);
    assert.equal(readLooseInfo(folder, object.oid), { type: 'blob', size: bytes.length }, name);
    for (const read of [readLoose(folder, object.oid), await readLooseInThread(folder, object.oid)]) {
      assert.is(read?.type, 'blob', name);
      assert.ok(read?.bytes.equals(bytes), name);
    }
  }
  rmSync(folder, { recursive: true });
});

test.run();
