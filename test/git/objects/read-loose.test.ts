import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeLooseObject } from '../../../lib/git/objects/loose-object.ts';
import { makeUnwrittenObject } from '../../../lib/git/objects/make-object.ts';
import {
  readLooseObject,
  readLooseObjectInfo,
  readLooseObjectInThread,
} from '../../../lib/git/objects/object-source.ts';

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
    const object = makeUnwrittenObject('sha1', 'blob', bytes);
    assert.is(readLooseObject(folder, object.oid), null, name);
    assert.is(await readLooseObjectInThread(folder, object.oid), null, name);
    assert.is(readLooseObjectInfo(folder, object.oid), null, name);
    writeLooseObject(folder, object);
    assert.equal(readLooseObjectInfo(folder, object.oid), { type: 'blob', size: bytes.length }, name);
    for (const read of [readLooseObject(folder, object.oid), await readLooseObjectInThread(folder, object.oid)]) {
      assert.is(read?.type, 'blob', name);
      assert.ok(read?.bytes.equals(bytes), name);
    }
  }
  rmSync(folder, { recursive: true });
});

test.run();
