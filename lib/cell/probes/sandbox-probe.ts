import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { programPath } from '../../util/child-programs.ts';
import type { Confinement, SandboxCapabilities } from '../runner-context.ts';
import { buildProbeBwrapArguments } from '../sandbox/bwrap-profile.ts';
import { namespacesOnlyCommand } from '../sandbox/confine.ts';
import { listKernelEntries } from '../sandbox/system-paths.ts';
import { probeCellLimits, runProbeCommand } from './limits-probe.ts';

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

const followsMounts = 'File systems mounted while an agent runs appear in its cell and can be written there.';

const unconfined = [
  'Agents can write every file the person can write.',
  'Agents reach the network, and see the processes and sockets of the person.',
];

const untried = 'The macOS profile was never tested on a Mac. Run `git flame doctor` before you rely on it.';

const escapes = [
  'A process that leaves its group and clears its environment outlives its agent.',
  'Agents keep running when git flame itself is killed.',
];

/** Tries out what works here; every answer comes from a real attempt. */
export async function probeSandbox(env: Readonly<Record<string, string | undefined>>): Promise<SandboxCapabilities> {
  const [found, limits] = await Promise.all([probeConfinement(env), probeCellLimits(env)]);
  const { confinement, entrance, lastLine } = found;
  const lack =
    lastLine === null || process.platform !== 'linux' ? null : explainBubblewrapRefusal(lastLine, describeMachine(env));
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

interface Found extends Pick<SandboxCapabilities, 'confinement' | 'entrance'> {
  /** The last line bubblewrap printed where it made no cell; null where it made one. */
  readonly lastLine: string | null;
}

async function probeConfinement(env: Readonly<Record<string, string | undefined>>): Promise<Found> {
  let lastLine: string | null = null;
  for (const entrance of [...entrances, []]) {
    const command = [...entrance, 'bwrap', ...buildProbeBwrapArguments(['true'], listKernelEntries())];
    lastLine = await problemOf(command, env);
    if (lastLine === null) return { confinement: 'bubblewrap', entrance, lastLine };
  }
  const without = (confinement: Confinement): Found => ({ confinement, entrance: [], lastLine });
  const works = async (command: readonly string[]): Promise<boolean> => (await problemOf(command, env)) === null;
  if (process.platform === 'darwin' && (await works(['sandbox-exec', '-p', allowAll, 'true'])))
    return without('seatbelt');
  return without((await works([...namespacesOnlyCommand, 'true'])) ? 'namespaces' : 'watched');
}

async function problemOf(command: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  return (await runProbeCommand(command, env, 10_000)).problem;
}

/** Why there is no bubblewrap, and what brings it: whole commands. */
export interface MissingSandbox {
  readonly why: string;
  readonly cure: readonly string[];
}

/** The facts of a machine that explain a refusal. */
export interface SandboxMachineFacts {
  readonly isRoot: boolean;
  /** A small file's text; null where there is none. */
  read(path: string): string | null;
  /** The path of a program in PATH; null where there is none. */
  find(program: string): string | null;
}

function describeMachine(env: Readonly<Record<string, string | undefined>>): SandboxMachineFacts {
  return {
    isRoot: process.getuid?.() === 0,
    read: (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : null),
    find: (program) => {
      const path = programPath(program, env.PATH);
      return isAbsolute(path) ? path : null;
    },
  };
}

const packageManagers = [
  ['apt-get', 'apt install bubblewrap'],
  ['dnf', 'dnf install bubblewrap'],
  ['pacman', 'pacman -S bubblewrap'],
  ['apk', 'apk add bubblewrap'],
  ['zypper', 'zypper install bubblewrap'],
  // Not as root.
  ['brew', 'brew install bubblewrap'],
] as const;

/** `said`: what bubblewrap printed when it could not make a cell. */
export function explainBubblewrapRefusal(said: string, machine: SandboxMachineFacts): MissingSandbox {
  const bwrap = machine.find('bwrap');
  if (bwrap === null) return notInstalled(machine);
  const reasons = [
    ...(/Unknown option/.test(said) ? [{ why: 'It is too old.', cure: notInstalled(machine).cure }] : []),
    ...refusedByKernel(machine, bwrap),
    ...refusedByContainer(machine),
  ];
  const words = said === '' ? '' : ` (${said})`;
  return {
    why: `bubblewrap is installed and can't make a cell here${words}: ${
      reasons.map(({ why }) => why).join(' ') || 'no known cause applies.'
    }`,
    cure:
      reasons.length === 0
        ? [`${bwrap} --unshare-user --unshare-pid --unshare-net --ro-bind / / --proc /proc true`]
        : reasons.flatMap(({ cure }) => cure),
  };
}

function notInstalled(machine: SandboxMachineFacts): MissingSandbox {
  const [name, line] = packageManagers.find(([program]) => machine.find(program) !== null) ?? [];
  const asRoot = name === 'brew' || machine.isRoot ? '' : 'sudo ';
  return {
    why: 'bubblewrap is not installed.',
    cure: [line === undefined ? "install bubblewrap with the system's package manager" : `${asRoot}${line}`],
  };
}

function refusedByKernel(machine: SandboxMachineFacts, bwrap: string): MissingSandbox[] {
  const sudo = machine.isRoot ? '' : 'sudo ';
  const isSet = (key: string, value: string): boolean =>
    machine.read(`/proc/sys/${key.replaceAll('.', '/')}`) === value;
  /** Until the next start of the machine, and from then on. */
  const set = (line: string): string =>
    `echo '${line}' | ${sudo}tee /etc/sysctl.d/60-user-namespaces.conf && ${sudo}sysctl -w '${line}'`;
  const lacks: MissingSandbox[] = [];
  if (machine.read('/proc/self/uid_map') === null)
    lacks.push({ why: 'The kernel is built without user namespaces.', cure: ['start another kernel'] });
  if (isSet('user.max_user_namespaces', '0'))
    lacks.push({
      why: 'user.max_user_namespaces is 0: no user namespaces are allowed.',
      cure: [set('user.max_user_namespaces=15000')],
    });
  // None of these two holds for root.
  if (machine.isRoot) return lacks;
  if (isSet('kernel.unprivileged_userns_clone', '0'))
    lacks.push({
      why: 'kernel.unprivileged_userns_clone is 0: only root may make user namespaces.',
      cure: [set('kernel.unprivileged_userns_clone=1')],
    });
  if (isSet('kernel.apparmor_restrict_unprivileged_userns', '1'))
    lacks.push({
      why: 'AppArmor restricts user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1), and no profile allows them for bubblewrap.',
      cure: [
        `echo 'abi <abi/4.0>, profile bwrap ${bwrap} flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap && sudo apparmor_parser -r /etc/apparmor.d/bwrap`,
        `or for all programs: ${set('kernel.apparmor_restrict_unprivileged_userns=0')}`,
      ],
    });
  return lacks;
}

function refusedByContainer(machine: SandboxMachineFacts): MissingSandbox[] {
  const isPodman = machine.read('/run/.containerenv') !== null;
  const isCluster = machine.read('/var/run/secrets/kubernetes.io/serviceaccount/namespace') !== null;
  const isDocker = machine.read('/.dockerenv') !== null;
  if (!isPodman && !isCluster && !isDocker) return [];
  const cure = isCluster
    ? 'in the pod: securityContext: { seccompProfile: { type: Unconfined }, appArmorProfile: { type: Unconfined }, procMount: Unmasked }'
    : isPodman
      ? 'podman run --security-opt seccomp=unconfined --security-opt unmask=ALL ...'
      : 'docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined ...';
  return [
    {
      why: 'The container must allow user namespaces with their own /proc.',
      cure: [cure],
    },
  ];
}
