import { programPath } from '../../util/child-programs.ts';
import { unreachable } from '../../util/unreachable.ts';
import { buildOverlayMountCommand } from '../dependencies/worktree-dependencies.ts';
import type { SandboxCapabilities } from '../runner-context.ts';
import { bwrapArguments, type CellProfile } from './bwrap-profile.ts';

/** Builds the words before a command that put it into its cell. */
export function buildConfineCommand(
  { confinement, entrance }: SandboxCapabilities,
  profile: CellProfile,
): readonly string[] {
  const { PATH } = profile.env;
  switch (confinement) {
    case 'bubblewrap':
      return [
        ...buildOverlayMountCommand(entrance, profile.overlays, PATH),
        programPath('bwrap', PATH),
        ...bwrapArguments(profile),
      ];
    case 'seatbelt':
      // On the command line: no file with it can be swapped.
      return ['sandbox-exec', '-p', renderSeatbeltProfile(profile)];
    case 'namespaces':
      return namespacesOnlyCommand;
    case 'watched':
      return [];
    default:
      return unreachable(confinement);
  }
}

/** The command that ends with its parent and takes all its descendants along, without bubblewrap. */
export const namespacesOnlyCommand = [
  'setpriv',
  '--pdeathsig',
  'KILL',
  '--',
  'unshare',
  '--user',
  '--map-current-user',
  '--fork',
  '--pid',
  '--kill-child',
  '--mount-proc',
];

// Services that programs of macOS look up at their start.
const services = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.system.notification_center',
  'com.apple.system.logger',
];

// Programs of macOS and what they read: libraries, the developer tools, time zones. Nothing of a person.
const systemFolders = [
  '/System',
  '/usr',
  '/bin',
  '/sbin',
  '/dev',
  '/private/etc',
  '/private/var/select',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
  '/Applications/Xcode.app/Contents/Developer',
  ...['Apple', 'Developer', 'Filesystems', 'Frameworks', 'Java'].map((name) => `/Library/${name}`),
];

/**
 * A cell's profile in the language of sandbox-exec, where the last rule that matches decides: nothing is
 * read but what is shown; hide, show again, make writable, protect, as the mounts of bubblewrap do. Seatbelt has no process namespace: what outlives the
 * agent is ended by the watch over its process tree. Written from Apple's shipped profiles; not yet run on a Mac.
 */
export function renderSeatbeltProfile(profile: CellProfile): string {
  const { system, hidden, readOnly, covered, shownAgain, hiddenInside, hiddenFiles } = profile;
  const { writable, emptied, doors } = profile;
  const guarded = profile.protected;
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow process-info* signal (target same-sandbox))',
    '(allow sysctl-read)',
    `(allow mach-lookup ${services.map((name) => `(global-name ${quote(name)})`).join(' ')})`,
    // Walking to a file needs the metadata of the folders above it, also of hidden ones.
    '(allow file-read-metadata)',
    // Its names alone.
    '(allow file-read* (literal "/"))',
    ...rule('allow', 'file-read*', [...systemFolders, ...system.map(({ path }) => path)]),
    ...rule('deny', 'file-read-data', hidden),
    ...rule('allow', 'file-read*', readOnly),
    ...rule(
      'deny',
      'file-read-data',
      covered.map(({ path }) => path),
    ),
    ...rule('allow', 'file-read*', shownAgain),
    ...rule('deny', 'file-read-data', [...hiddenInside, ...hiddenFiles]),
    ...rule('allow', 'file-read* file-write*', writable),
    ...rule('deny', 'file-read-data file-write*', emptied),
    ...rule('deny', 'file-write*', guarded),
    ...rule('allow', 'file-read*', guarded),
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))',
    '(allow file-read* file-write-data file-ioctl (literal "/dev/tty"))',
    '(deny network*)',
    ...doors.sockets.map((path) => `(allow network-outbound (remote unix-socket (path-literal ${quote(path)})))`),
    ...doors.ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    '',
  ].join('\n');
}

function rule(verb: 'allow' | 'deny', operations: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return [];
  return [`(${verb} ${operations} ${paths.map((path) => `(subpath ${quote(path)})`).join(' ')})`];
}

/** A string of the profile language: a path can't end it and add rules of its own. */
function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
