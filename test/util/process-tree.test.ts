import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listAncestorsOfProcess, readProcess, readProcessByPs } from '../../lib/util/process-ancestors.ts';
import { testIf } from '../support/skip.ts';

testIf(
  test,
  spawnSync('ps', ['-A']).status === 0,
  'ps is missing',
)('ps says of a process what /proc does', () => {
  const byPs = readProcessByPs(process.pid);
  assert.equal(byPs, readProcess(process.pid));
  assert.is(byPs?.parent, process.ppid);
  assert.ok((byPs?.words.length ?? 0) > 1);
});

test('who started a process comes first; of none nobody did', () => {
  assert.is(listAncestorsOfProcess(process.pid)[0], process.ppid);
  const none = 2 ** 22 + 1;
  assert.equal([readProcessByPs(none), readProcess(none), listAncestorsOfProcess(none)], [null, null, []]);
});

test.run();
