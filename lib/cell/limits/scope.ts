import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellGroup, CellLimits } from '../sandbox-state.ts';
import { readUsage } from './group.ts';

type Env = Readonly<Record<string, string | undefined>>;

// How a user's systemd is reached; the command itself gets none of them.
const busVariables = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/** A command in a scope of its own: systemd makes its control group, then becomes the command. */
export function scopeCommand(limits: CellLimits, argv: readonly string[]): string[] {
  const manager = process.getuid?.() === 0 ? [] : ['--user'];
  const properties = [
    `MemoryMax=${limits.memoryMb * 1024 * 1024}`,
    'MemorySwapMax=0',
    `TasksMax=${limits.processes}`,
    'CPUAccounting=yes',
  ];
  return [
    'systemd-run',
    ...manager,
    '--scope',
    '--quiet',
    '--collect',
    ...properties.flatMap((property) => ['-p', property]),
    '--',
    'env',
    ...busVariables.flatMap((name) => ['-u', name]),
    ...argv,
  ];
}

/** A cell's scope. systemd removes it when its last process ends, so late questions find nothing. */
export function makeScope(limits: CellLimits, env: Env): CellGroup {
  let pid = 0;
  return {
    name: null,
    enter: (argv) => scopeCommand(limits, argv),
    env: Object.fromEntries(
      busVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    ),
    entered: (entered) => {
      pid = entered;
    },
    usage: () => {
      const folder = scopeFolder(pid);
      return readUsage(2, () => folder ?? '/nonexistent');
    },
    close: async () => undefined,
  };
}

/** null while the process has not entered its scope, and after its end. */
function scopeFolder(pid: number): string | null {
  try {
    const path = /^0::(\/.*\.scope)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1];
    // The tool may be in a scope itself: that of its terminal.
    const own = readFileSync('/proc/self/cgroup', 'utf8');
    return path === undefined || own.includes(`0::${path}\n`) ? null : join('/sys/fs/cgroup', path);
  } catch {
    return null;
  }
}
