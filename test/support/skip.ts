import { spawnSync } from 'node:child_process';
import type { Test } from 'uvu';
import { hermeticEnv, makeTempDir } from './repo.ts';

/** Registers tests that need something of the system; where it's missing each is skipped, with its name and the reason. */
export function testIf(test: Test, isThere: boolean, reason: string): Test | Test['skip'] {
  if (isThere) return test;
  const skip: Test['skip'] = (name, body) => {
    process.stdout.write(`SKIP ${name}: ${reason}\n`);
    test.skip(name, body);
  };
  // What is skipped for one reason may be so for another.
  return Object.assign(skip, { skip: test.skip });
}

/** The same for what no machine has to have, such as a newer git: where it's missing that is said, and no test of it counts. */
export function testWhere(
  test: Test,
  isThere: boolean,
  what: string,
): (name: string, body: () => Promise<void>) => void {
  if (isThere) return test;
  process.stdout.write(`not here: ${what}\n`);
  return () => undefined;
}

/** What git answers in an empty folder; '' where it can't. */
export function gitSays(...args: readonly string[]): string {
  const options = { cwd: makeTempDir(), env: hermeticEnv, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync('git', args, options);
  return status === 0 ? stdout : '';
}

/** Whether bubblewrap can make a cell here: a real probe. */
export function hasBubblewrap(): boolean {
  const probe = spawnSync('bwrap', ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', 'true']);
  return probe.status === 0;
}

/** Whether a network namespace of our own can be made here. */
export function hasNetworkNamespace(): boolean {
  return spawnSync('unshare', ['-rn', 'true']).status === 0 || spawnSync('unshare', ['-n', 'true']).status === 0;
}
