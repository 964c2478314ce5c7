import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextOrEmpty } from '../../util/read-file.ts';
import {
  type ControlGroupHierarchy,
  type ControlGroupPlan,
  makeCellControlGroup,
  planControlGroups,
  readControlGroupHierarchies,
  readControlGroupUsage,
  removeDeadControlGroups,
} from '../limits/control-group.ts';
import type { CellControlGroup, CellLimits, LimitEnforcement } from '../runner-context.ts';
import { buildProbeBwrapArguments, passSyscallFilterToBwrap } from '../sandbox/bwrap-profile.ts';
import { listKernelEntries } from '../sandbox/system-paths.ts';

type Env = Readonly<Record<string, string | undefined>>;

const probeLimits: CellLimits = {
  cpuSeconds: 10,
  memoryMb: 64,
  fileSizeMb: 1,
  diskMb: 1_000,
  openFiles: 64,
  processes: 64,
};

/** Finds the strongest limits that work here; each is tried with a process of its own. */
export async function probeCellLimits(env: Env): Promise<LimitEnforcement> {
  const none = { scope: null, plan: null, hasProcessLimit: false };
  if (process.platform !== 'linux') return describe(none);
  if (await probeScope(env)) return describe({ ...none, scope: env });
  const hierarchies = readControlGroupHierarchies();
  const plan = (await probePlans(hierarchies, 2)) ?? (await probePlans(hierarchies, 1));
  const hasPids = plan?.parents.pids !== undefined || plan?.version === 2;
  return describe({ scope: null, plan, hasProcessLimit: hasPids ? false : await countsPerNamespace(env) });
}

async function probeScope(env: Env): Promise<boolean> {
  if (!existsSync('/run/systemd/system')) return false;
  // The group it is put in must have the limit that was asked for.
  const show = 'cat "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/memory.max"';
  const said = await outputOf(buildSystemdScopeCommand(probeLimits, ['/bin/sh', '-c', show]), env);
  return said.trim() === String(probeLimits.memoryMb * 1024 * 1024);
}

/** The first plan of that version that bounds memory or, with version 1, all controllers of it that work. */
async function probePlans(
  hierarchies: readonly ControlGroupHierarchy[],
  version: 1 | 2,
): Promise<ControlGroupPlan | null> {
  for (const plan of planControlGroups(hierarchies, version)) {
    const works: [string, string][] = [];
    for (const [controller, parent] of Object.entries(plan.parents)) {
      const single = { version, parents: { [controller]: parent } };
      removeDeadControlGroups(single);
      if (await canEnter(single)) works.push([controller, parent]);
    }
    if (works.length > 0) return { version, parents: Object.fromEntries(works) };
  }
  return null;
}

async function canEnter(plan: ControlGroupPlan): Promise<boolean> {
  try {
    const group = makeCellControlGroup(plan, probeLimits);
    const said = await outputOf(group.enter(['cat', '/proc/self/cgroup']), {});
    await group.close();
    return said.includes(`/${group.name}\n`);
  } catch {
    return false;
  }
}

/**
 * Whether RLIMIT_NPROC counts the processes of a user namespace alone: few must be allowed and many refused, however
 * many others the user runs. The kernel never counts those of root.
 */
async function countsPerNamespace(env: Env): Promise<boolean> {
  if (process.getuid?.() === 0) return false;
  const line = [
    'ulimit -u 12 2>/dev/null || ulimit -p 12 || exit 1',
    '(sleep 0 | sleep 0 | sleep 0) || exit 1',
    `(${Array(24).fill('sleep 0.2').join(' | ')}) 2>/dev/null && exit 1`,
    'echo counted',
  ].join('\n');
  const command = ['bwrap', ...buildProbeBwrapArguments(['/bin/sh', '-c', line], listKernelEntries())];
  return (await outputOf(command, env)).trim() === 'counted';
}

interface Found {
  readonly scope: Env | null;
  readonly plan: ControlGroupPlan | null;
  readonly hasProcessLimit: boolean;
}

function describe({ scope, plan, hasProcessLimit }: Found): LimitEnforcement {
  const group = scope !== null ? 'systemd scope' : plan?.version === 2 ? 'cgroup v2' : 'cgroup v1';
  const has = (name: 'memory' | 'cpuacct' | 'pids'): boolean =>
    scope !== null || plan?.version === 2 || plan?.parents[name] !== undefined;
  const memory = has('memory') ? group : 'watchdog';
  const cpu = has('cpuacct') ? group : 'watchdog';
  const processes = has('pids') ? group : hasProcessLimit ? 'rlimit' : 'watchdog';
  return {
    memory,
    cpu,
    processes,
    missing: process.platform === 'linux' ? weaknesses({ memory, cpu, processes }) : [perProcess],
    openGroup: (limits) =>
      scope !== null ? makeScope(limits, scope) : plan === null ? null : makeCellControlGroup(plan, limits),
  };
}

const perProcess = 'Memory and CPU time are limited for each process, not for an agent as a whole.';

function weaknesses(state: Pick<LimitEnforcement, 'memory' | 'cpu' | 'processes'>): string[] {
  return [
    ...(state.memory === 'watchdog'
      ? ["Memory is limited for each process; the sum of an agent's processes is checked only once a second."]
      : []),
    ...(state.cpu === 'watchdog'
      ? ["CPU time is limited for each process; the sum of an agent's processes may miss short-lived ones."]
      : []),
    ...(state.processes === 'watchdog' ? ['The number of processes of an agent is checked only once a second.'] : []),
  ];
}

/** Returns the output of a command; '' where it fails. */
async function outputOf(command: readonly string[], env: Env): Promise<string> {
  return (await runProbeCommand(command, env, 5_000)).output;
}

/**
 * Runs a command, bubblewrap's with its filter. `problem`: null where it ended well; else the last line it printed, or
 * why it could not be started, and `output` is empty.
 */
export function runProbeCommand(
  [program = '', ...args]: readonly string[],
  env: Env,
  timeout: number,
): Promise<{ readonly output: string; readonly problem: string | null }> {
  return new Promise((resolve) => {
    let [output, said] = ['', ''];
    const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'pipe'] as const;
    const child = spawn(program, args, { stdio: [...stdio], env: { ...env }, timeout, killSignal: 'SIGKILL' });
    passSyscallFilterToBwrap(child, { mayTrace: false });
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-1_000);
    });
    child.on('error', (error) => resolve({ output: '', problem: error.message }));
    child.on('close', (code, signal) => {
      const last = said.trim().split('\n').at(-1) ?? '';
      const problem = last || `it ended with ${signal ?? code}`;
      resolve(code === 0 ? { output, problem: null } : { output: '', problem });
    });
  });
}

// How a user's systemd is reached; the command itself gets none of them.
const busVariables = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/** A command in a scope of its own: systemd makes its control group, then becomes the command. */
export function buildSystemdScopeCommand(limits: CellLimits, argv: readonly string[]): string[] {
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
function makeScope(limits: CellLimits, env: Env): CellControlGroup {
  let pid = 0;
  return {
    name: null,
    enter: (argv) => buildSystemdScopeCommand(limits, argv),
    env: Object.fromEntries(busVariables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    entered: (entered) => {
      pid = entered;
    },
    usage: () => {
      const folder = scopeFolder(pid);
      return readControlGroupUsage(2, () => folder ?? '/nonexistent');
    },
    close: async () => undefined,
  };
}

/** null while the process has not entered its scope, and after its end. */
function scopeFolder(pid: number): string | null {
  const path = /^0::(\/.*\.scope)$/m.exec(readTextOrEmpty(`/proc/${pid}/cgroup`))?.[1];
  // The tool may be in a scope itself: that of its terminal.
  const own = readTextOrEmpty('/proc/self/cgroup');
  return path === undefined || own.includes(`0::${path}\n`) ? null : join('/sys/fs/cgroup', path);
}
