import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { compareWithBash } from './differential.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap is missing: bash is not compared with its reading');

inCell('WAT-4: bash starts and writes nothing that was not read in a command', () => {
  const { mismatches, ran } = compareWithBash(250, 7);
  assert.equal(mismatches, []);
  assert.ok(ran > 0, 'bash ran nothing');
});

test.run();
