import { spawn } from 'node:child_process';
import { handFilter, probeArguments } from '../sandbox/bwrap-profile.ts';
import { namespaceCommand } from '../sandbox/confine.ts';
import { listKernelEntries } from '../sandbox/kernel-entries.ts';
import type { Confinement, SandboxState } from '../sandbox-state.ts';
import { explainRefusal, thisMachine } from './explain-refusal.ts';
import { probeCellLimits } from './limits-probe.ts';

const allowAll = '(version 1) (allow default)';

const privateMounts = ['--mount', '--propagation', 'private', '--'];

/**
 * Ways to begin a cell so that later mounts outside don't appear in it, and can't be written: bubblewrap alone leaves
 * the mounts of a cell following those of the machine. The second is for users other than root.
 */
const entrances: readonly (readonly string[])[] = [
  ['unshare', ...privateMounts],
  ['unshare', '--user', '--map-current-user', ...privateMounts],
];

const followsMounts = 'What is mounted while an agent runs appears in its cell, and can be written there.';

const unconfined = [
  'Agents can write every file the person can write.',
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
  const { confinement, entrance, said } = found;
  const lack = said === null || process.platform !== 'linux' ? null : explainRefusal(said, thisMachine(env));
  const missing = [
    ...(lack === null ? [] : [lack.why]),
    ...(confinement === 'bubblewrap' || confinement === 'seatbelt' ? [] : unconfined),
    ...(confinement === 'bubblewrap' && entrance.length === 0 ? [followsMounts] : []),
    ...(confinement === 'seatbelt' ? [untried] : []),
    ...(confinement === 'watched' || confinement === 'seatbelt' ? escapes : []),
    ...limits.missing,
  ];
  return { confinement, entrance, limits, missing, cure: lack?.cure ?? [] };
}

interface Found extends Pick<SandboxState, 'confinement' | 'entrance'> {
  /** The last line bubblewrap printed where it made no cell; null where it made one. */
  readonly said: string | null;
}

async function probeConfinement(env: Readonly<Record<string, string | undefined>>): Promise<Found> {
  let said: string | null = null;
  for (const entrance of [...entrances, []]) {
    const command = [...entrance, 'bwrap', ...probeArguments(['true'], listKernelEntries())];
    said = await problemOf(command, env);
    if (said === null) return { confinement: 'bubblewrap', entrance, said };
  }
  const without = (confinement: Confinement): Found => ({ confinement, entrance: [], said });
  const works = async (command: readonly string[]): Promise<boolean> =>
    (await problemOf(command, env)) === null;
  if (process.platform === 'darwin' && (await works(['sandbox-exec', '-p', allowAll, 'true'])))
    return without('seatbelt');
  return without((await works([...namespaceCommand, 'true'])) ? 'namespaces' : 'watched');
}

/** null: it ran and ended well; else the last line it printed, or why it could not be started. */
function problemOf(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'pipe'],
      env,
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-1_000);
    });
    handFilter(child, { mayTrace: false });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => {
      const last = said.trim().split('\n').at(-1) ?? '';
      resolve(code === 0 ? null : last || `it ended with ${signal ?? code}`);
    });
  });
}
