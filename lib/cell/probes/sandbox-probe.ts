import { spawn } from 'node:child_process';
import { handFilter, probeArguments } from '../sandbox/bwrap-profile.ts';
import { namespaceCommand } from '../sandbox/confine.ts';
import { listKernelEntries } from '../sandbox/kernel-entries.ts';
import type { Confinement, SandboxState } from '../sandbox-state.ts';
import { probeCellLimits } from './limits-probe.ts';

const allowAll = '(version 1) (allow default)';

const privateMounts = ['--mount', '--propagation', 'private', '--'];

/**
 * Ways to begin a cell so that what is mounted outside later doesn't appear in it, and can't be written: bubblewrap
 * alone leaves the mounts of a cell following those of the machine. The second is for whoever isn't root.
 */
const entrances: readonly (readonly string[])[] = [
  ['unshare', ...privateMounts],
  ['unshare', '--user', '--map-current-user', ...privateMounts],
];

const followsMounts = 'What is mounted while an agent runs appears in its cell, and can be written there.';

const unconfined = [
  'Agents can write every file the person can write: bubblewrap is missing or not permitted here.',
  'Agents reach the network, and see the processes and sockets of the person.',
];

const untried =
  'The profile for macOS was written without a Mac at hand: try `git flame doctor` before you rely on it.';

const escapes = [
  'A process that leaves its group and clears its environment outlives its agent.',
  'Agents keep running when git flame itself is killed.',
];

/** Tries out what works here; every answer comes from a real attempt. */
export async function probeSandbox(env: Readonly<Record<string, string | undefined>>): Promise<SandboxState> {
  const [found, limits] = await Promise.all([probeConfinement(env), probeCellLimits(env)]);
  const { confinement, entrance } = found;
  const missing = [
    ...(confinement === 'bubblewrap' || confinement === 'seatbelt' ? [] : unconfined),
    ...(confinement === 'bubblewrap' && entrance.length === 0 ? [followsMounts] : []),
    ...(confinement === 'seatbelt' ? [untried] : []),
    ...(confinement === 'watched' || confinement === 'seatbelt' ? escapes : []),
    ...limits.missing,
  ];
  return { confinement, entrance, limits, missing };
}

type Found = Pick<SandboxState, 'confinement' | 'entrance'>;

async function probeConfinement(env: Readonly<Record<string, string | undefined>>): Promise<Found> {
  const without = (confinement: Confinement): Found => ({ confinement, entrance: [] });
  for (const entrance of [...entrances, []]) {
    const [program = '', ...args] = [...entrance, 'bwrap', ...probeArguments(['true'], listKernelEntries())];
    if (await succeeds(program, args, env)) return { confinement: 'bubblewrap', entrance };
  }
  if (process.platform === 'darwin' && (await succeeds('sandbox-exec', ['-p', allowAll, 'true'], env)))
    return without('seatbelt');
  const [program = '', ...args] = namespaceCommand;
  return without((await succeeds(program, [...args, 'true'], env)) ? 'namespaces' : 'watched');
}

function succeeds(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'],
      ...{ env, timeout: 10_000, killSignal: 'SIGKILL' },
    });
    handFilter(child, { mayTrace: false });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}
