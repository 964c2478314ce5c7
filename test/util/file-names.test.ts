import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decodeFileName,
  encodeFileName,
  joinFileNames,
  renderFileName,
  splitFileNames,
} from '../../lib/util/file-names.ts';
import { makeRandom } from '../support/random.ts';

test('names go through text and back byte for byte', () => {
  const random = makeRandom(7);
  for (let round = 0; round < 500; round += 1) {
    const bytes = Buffer.from(Array.from({ length: 1 + (round % 12) }, () => random.int(1, 255)));
    assert.equal(encodeFileName(decodeFileName(bytes)), bytes);
  }
  for (const name of ['a b', 'ä€😀', 'new\nline', '"quoted"', '\\', '*?[x]']) {
    assert.is(decodeFileName(Buffer.from(name)), name);
    assert.equal(encodeFileName(name), Buffer.from(name));
  }
});

test('what is text in an odd name stays readable, and lists of names are split at NUL alone', () => {
  const odd = Buffer.from('w/latin\xe9.txt', 'latin1');
  assert.is(renderFileName(decodeFileName(odd)), 'w/latin\ufffd.txt');
  assert.ok(decodeFileName(odd).startsWith('w/latin'));
  const list = Buffer.concat([odd, Buffer.from('\0new\nline\0')]);
  assert.equal(joinFileNames(splitFileNames(list)), list);
});

test.run();
