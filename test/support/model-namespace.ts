import { spawnSync } from 'node:child_process';
import { findCli } from './clis.ts';

const marker = 'FLAME_TEST_NAMESPACE';

/**
 * Runs the calling test file again in a network namespace with nothing but loopback, once, so that a third
 * party's program can reach no network. `inside`: this is that run. `outside`: it was run, and its exit code
 * is this process's. `none`: no such namespace can be made here. `isForServers`: root stays the root it was, where it
 * is, since some servers start as no other.
 */
export function enterNetworkNamespace({ isForServers = false } = {}): 'inside' | 'outside' | 'none' {
  if (process.env[marker] === '1') return 'inside';
  const ways = [['-rn'], ['-n']];
  const unshare = (isForServers ? ways.reverse() : ways).find((flags) =>
    run('unshare', [...flags, 'ip', 'link', 'set', 'lo', 'up']),
  );
  if (unshare === undefined) return 'none';
  const result = spawnSync(
    'unshare',
    [
      ...unshare,
      ...['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
      ...[process.execPath, ...process.argv.slice(1)],
    ],
    { stdio: 'inherit', env: { ...process.env, [marker]: '1' } },
  );
  // The runner of this file's own, empty, suite would set it to 0.
  process.on('exit', () => {
    process.exitCode = result.status ?? 1;
  });
  return 'outside';
}

/** The Claude Code program installed for tests, or another that FLAME_TEST_CLAUDE names; null where there is none. */
export function findClaude(): string | null {
  const named = process.env.FLAME_TEST_CLAUDE ?? '';
  if (named !== '') return named;
  return findCli('claude')?.[0] ?? null;
}

function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}
