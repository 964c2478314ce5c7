import { spawnSync } from 'node:child_process';
import type { Test } from 'uvu';

/** Registers tests that need something of the system; where it's missing they are skipped and the reason is printed. */
export function testIf(test: Test, isThere: boolean, reason: string): Test | Test['skip'] {
  if (isThere) return test;
  process.stdout.write(`SKIP ${reason}\n`);
  return test.skip;
}

/** Whether bubblewrap can make a cell here: a real probe. */
export function hasBubblewrap(): boolean {
  const probe = spawnSync('bwrap', [
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--ro-bind',
    '/',
    '/',
    'true',
  ]);
  return probe.status === 0;
}

/** Whether a network namespace of our own can be made here. */
export function hasNetworkNamespace(): boolean {
  return (
    spawnSync('unshare', ['-rn', 'true']).status === 0 || spawnSync('unshare', ['-n', 'true']).status === 0
  );
}
