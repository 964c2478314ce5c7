import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { isFolder } from '../../util/read-file.ts';
import { isSameOrBelowFolder } from '../../util/real-and-private-paths.ts';
import type { DependencyOverlay } from '../dependencies/worktree-dependencies.ts';
import type { SystemPath } from '../runner-context.ts';
import { filterDescriptor, syscallFilter } from './syscall-filter.ts';
import { pathExists } from './tool-paths.ts';

/** The paths a cell shows, and those it may write. All are absolute and the same inside and outside. */
export interface CellProfile {
  /** The parts of the machine that every cell shows, read-only: nothing else of it is there. */
  readonly system: readonly SystemPath[];
  /** Folders shown empty: they hold what no agent needs, or sockets (a read-only mount doesn't stop connect()). */
  readonly hidden: readonly string[];
  /** Shown beside the system, read-only, also below a hidden folder. */
  readonly readOnly: readonly string[];
  /** Folders in it, each with the folder that is shown in its place, and what of them is shown all the same. */
  readonly covered: readonly { readonly path: string; readonly shown: string }[];
  readonly shownAgain: readonly string[];
  /** Folders shown empty inside what was just shown again. */
  readonly hiddenInside: readonly string[];
  /** Single files shown empty: sockets that are still in sight. */
  readonly hiddenFiles: readonly string[];
  /** Entries of /proc that belong to the machine and no process; see listKernelEntries. */
  readonly kernelEntries: readonly string[];
  /** An empty regular file to show instead. */
  emptyFile(): string;
  readonly writable: readonly string[];
  /** Files and folders of the worktree that are shown empty, and stay so. */
  readonly emptied: readonly string[];
  /** Read-only although they are below something writable. */
  readonly protected: readonly string[];
  /** Shown at another path, read-only. */
  readonly mounts: readonly { readonly source: string; readonly target: string }[];
  /** Shown with changes of the cell's own on top, which stay. */
  readonly overlays: readonly DependencyOverlay[];
  /** Links in folders that are shown empty: where each is, and where it leads. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Shown as /tmp, for programs that don't look at TMPDIR. */
  readonly tempDir: string;
  /** Where there's no network namespace: the sockets and loopback ports it may talk to. */
  readonly doors: { readonly sockets: readonly string[]; readonly ports: readonly number[] };
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Keeps the terminal: a person talks with the agent. */
  readonly isInteractive: boolean;
  /** See FilterOptions. */
  readonly mayTrace: boolean;
  /** Of what git tracks in its worktree; absent: nothing is known of it. */
  readonly largestFileMb?: number;
}

/** The file descriptor on which bubblewrap reports its child's pid and exit code. */
export const statusDescriptor = 3;

// As root, bubblewrap keeps every capability by default, and `mount -o remount,rw /` works inside.
const isolation = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
];

/** Arguments of bwrap for a profile, up to and with `--`: the program and its arguments follow. */
export function bwrapArguments(profile: CellProfile): string[] {
  return [
    ...isolation,
    ...(profile.overlays.length === 0 ? [] : ownUser()),
    ...(profile.isInteractive ? [] : ['--new-session']),
    ...profile.system.flatMap(({ path, link }) =>
      link === null ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ...processes(profile.kernelEntries),
    ...mountArguments(profile),
    '--chdir',
    profile.workingDirectory,
    '--clearenv',
    ...Object.entries(profile.env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--json-status-fd',
    String(statusDescriptor),
    ...filtered(),
    '--',
  ];
}

/** Returns to the own user where overlays were mounted as root of a namespace before. */
function ownUser(): string[] {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return ['--uid', String(user), '--gid', String(group)];
}

/** The smallest cell there is, to find out what works in cells here. */
export function buildProbeBwrapArguments(argv: readonly string[], kernelEntries: readonly string[]): string[] {
  return [...isolation, '--ro-bind', '/', '/', ...processes(kernelEntries), ...filtered(), '--', ...argv];
}

/** The process that starts bubblewrap hands it the filter on that descriptor: see passSyscallFilterToBwrap. */
function filtered(): string[] {
  const isKnown = syscallFilter({ mayTrace: false }) !== null;
  return isKnown ? ['--seccomp', String(filterDescriptor)] : [];
}

/** Hands bubblewrap the filter that filtered() names; the descriptor is a pipe. */
export function passSyscallFilterToBwrap(child: ChildProcess, { mayTrace }: Pick<CellProfile, 'mayTrace'>): void {
  const pipe = child.stdio[filterDescriptor] as Writable | null | undefined;
  // It may end without reading it.
  pipe?.on('error', () => undefined);
  pipe?.end(syscallFilter({ mayTrace }) ?? Buffer.of());
}

// Settings of the whole machine are files of root, which the kernel lets root write without any capability:
// core_pattern names a program that is run outside every cell.
function processes(kernelEntries: readonly string[]): string[] {
  return [
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...kernelEntries.flatMap((path) => ['--ro-bind-try', path, path]),
    ...keyLists.filter(pathExists).flatMap((path) => ['--ro-bind', '/dev/null', path]),
  ];
}

// They name the keys of the person's session, which every process has that it started.
const keyLists = ['/proc/keys', '/proc/key-users'];

// Later mounts cover earlier ones, so the order is the policy: hide, show again, make writable, protect.
function mountArguments(profile: CellProfile): string[] {
  const hidden = outermostFirst(profile.hidden.filter((path) => path !== '/tmp'));
  const isVeiled = (path: string): boolean => profile.hidden.some((place) => isSameOrBelowFolder(path, place));
  const show = (paths: readonly string[]): string[] =>
    outermostFirst(paths).flatMap((path) => ['--ro-bind', path, path]);
  const empty = (paths: readonly string[]): string[] =>
    paths.flatMap((path) => (isFolder(path) ? ['--tmpfs', path] : ['--ro-bind', profile.emptyFile(), path]));
  return [
    '--bind',
    profile.tempDir,
    '/tmp',
    // Files in memory belong to no process, so no limit would count them.
    '--bind',
    profile.tempDir,
    '/dev/shm',
    '--remount-ro',
    '/dev',
    ...show(profile.readOnly.filter((path) => !isVeiled(path))),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...show(profile.readOnly.filter(isVeiled)),
    ...profile.covered.flatMap(({ path, shown }) => ['--ro-bind', shown, path]),
    ...show(profile.shownAgain),
    ...outermostFirst(profile.hiddenInside).flatMap((path) => ['--tmpfs', path]),
    ...profile.hiddenFiles.flatMap((path) => ['--ro-bind', profile.emptyFile(), path]),
    ...outermostFirst(profile.writable).flatMap((path) => ['--bind', path, path]),
    ...show(profile.protected),
    ...empty(outermostFirst(profile.emptied)),
    ...profile.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...profile.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    // A write below a hidden folder, or beside all that is shown, fails instead of vanishing.
    ...[...new Set([...hidden, ...profile.hiddenInside, ...profile.emptied.filter(isFolder), '/'])].flatMap((path) => [
      '--remount-ro',
      path,
    ]),
  ];
}

function outermostFirst(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
