import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { addToRecord, beginCellRecord, readRecord } from '../../../lib/git/cells/cell-record.ts';
import { ownIdentity } from '../../../lib/util/process-identity.ts';
import { makeTempDir } from '../../support/repo.ts';

const [first, second] = ['1', '2'].map((digit) => parseObjectId(digit.repeat(40)));

test('the last fact of a kind counts, and what a kill cut short is none', () => {
  const root = makeTempDir();
  beginCellRecord(root, { owner: ownIdentity(), worktree: '/w', start: `${first}`, base: `${first}` });
  addToRecord(root, { ready: true, index: `${first}` });
  appendFileSync(join(root, 'record'), `{"start":"${second}`);
  addToRecord(root, { index: null });
  addToRecord(root, { accepted: `${second}` });
  const { owner, worktree, start, isReady, index, accepted, made, ended, subject } = readRecord(root);
  assert.equal(owner, ownIdentity());
  assert.equal([worktree, start, isReady, index, accepted], ['/w', first, true, null, second]);
  assert.equal([made, ended, subject], [null, undefined, null]);
});

test('a record that is no such thing, or is not there, says nothing', () => {
  const root = makeTempDir();
  const nothing = readRecord(root);
  assert.equal([nothing.owner, nothing.worktree, nothing.start, nothing.isReady], [null, null, null, false]);
  for (const text of ['{', '[]\n7\n', '{"start":"x","owner":{"pid":"1"},"made":{"commit":7},"ready":1}\n']) {
    writeFileSync(join(root, 'record'), text);
    assert.equal(readRecord(root), nothing);
  }
});

test.run();
