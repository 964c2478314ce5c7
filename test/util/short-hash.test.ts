import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shortHash } from '../../lib/util/short-hash.ts';

for (const kind of ['sha1', 'sha256'] as const)
  test(`${kind} is what node says, of every length about a block and of every byte`, () => {
    for (let length = 0; length < 300; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 151 + length * 37) & 0xff);
      assert.is(shortHash(kind, bytes), createHash(kind).update(bytes).digest('hex'), `${length} bytes`);
    }
    const text = Buffer.from('/home/Ärger 🐝/projects/.git');
    assert.is(shortHash(kind, text), createHash(kind).update(text).digest('hex'));
  });

test.run();
